import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { eventually } from "../../test/kit/eventually.ts";
import { startProcess } from "../../test/kit/startProcess.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import { isRunning } from "../../test/mcp/isRunning.ts";
import { odd, reading, stdio, textOf, withRegistry } from "../../test/mcp/withRegistry.ts";

const oddServer = fileURLToPath(new URL("../../test/mcp/oddServer.ts", import.meta.url));

/** A shell script, as people wrap servers in: it starts helpers of its own, one deaf to SIGTERM, and keeps their numbers. */
const wrapper = (mode: string, end = "wait") => `#!/bin/sh
exec 3<&0
sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done' &
sleep 1000 &
echo $! >> pids
echo $$ >> pids
"${process.execPath}" "${oddServer}" ${mode} <&3 &
echo $! >> pids
sleep 0.2
${end}
`;

async function pidsIn(directory: string): Promise<readonly number[]> {
  const text = await readFile(join(directory, "pids"), "utf8");
  return text.trim().split("\n").map(Number);
}

test("a child sees PATH, HOME, locale, TMPDIR and its own env, and nothing else of ours", async () => {
  process.env["KORVUS_TEST_TOKEN"] = "must not be seen";
  process.env["LC_TIME"] = "C";
  await using started = await withRegistry([odd("plain", { env: { OWN: "1" } })]);

  const outcome = await started.registry.call("plain", "env", {}, reading);

  const names = Object.keys(JSON.parse(textOf(outcome)) as object);
  expect(names).toEqual(expect.arrayContaining(["HOME", "LC_TIME", "OWN", "PATH"]));
  expect(names.filter((name) => !/^(PATH|HOME|LANG|LC_\w+|TMPDIR|OWN)$/.test(name))).toEqual([]);
});

test.each(["plain", "stubborn"])(
  "closing ends a wrapper script, its %s server and every helper within a second",
  async (mode) => {
    await using dir = await tempDir({ "server.sh": wrapper(mode) });
    await using started = await withRegistry([
      stdio("wrapped", { command: "sh", args: ["server.sh"] }, { cwd: dir.path }),
    ]);
    const pids = await pidsIn(dir.path);
    expect(started.registry.connected()).toEqual(["wrapped"]);
    expect(pids.length).toBe(4);
    expect(pids.filter(isRunning)).toEqual(pids);

    const began = Date.now();
    await started.registry.close();

    expect(Date.now() - began).toBeLessThan(2000);
    expect(pids.filter(isRunning)).toEqual([]);
  },
);

test("a wrapper that exits by itself takes its helpers along, and the loss is known", async () => {
  await using dir = await tempDir({ "server.sh": wrapper("plain", "sleep 1.5; exit 9") });
  await using started = await withRegistry([
    stdio("wrapped", { command: "sh", args: ["server.sh"] }, { cwd: dir.path }),
  ]);

  await eventually("the loss is seen", () => started.registry.states()[0]?.state === "lost");

  const pids = await pidsIn(dir.path);
  await eventually("all are gone", () => pids.filter(isRunning).length === 0, 2000);
  expect(started.registry.states()[0]?.reason).toContain("exited with code 9");
});

test("when our own process is interrupted, every child and grandchild is gone within a second", async () => {
  await using dir = await tempDir({
    "server.sh": wrapper("stubborn"),
    "main.ts": `
      import { ProcessGroups } from ${JSON.stringify(import.meta.resolve("./processGroups.ts"))};
      import { StdioTransport } from ${JSON.stringify(import.meta.resolve("./stdioTransport.ts"))};
      const groups = new ProcessGroups();
      process.on("exit", () => groups.killAll());
      process.on("SIGINT", () => process.exit(130));
      const server = { kind: "stdio", name: "wrapped", command: "sh", args: ["server.sh"], env: {}, cwd: process.cwd(), denyTools: [] } as const;
      await new StdioTransport(server, { groups, environment: process.env }).start();
      setInterval(() => {}, 1000);
    `,
  });
  await using ours = startProcess(process.execPath, ["main.ts"], { cwd: dir.path });
  const pids = await eventually("the helpers run", async () => {
    const found = await pidsIn(dir.path).catch((): readonly number[] => []);
    return found.length === 4 ? found : undefined;
  });

  process.kill(ours.pid, "SIGINT");

  expect(await ours.exited).toBe(130);
  await eventually("all are gone", () => pids.filter(isRunning).length === 0, 1000);
});

test.each([
  [
    "a command that does not exist",
    { command: "korvus-no-such-command", args: [] },
    "command not found: korvus-no-such-command",
  ],
  ["a command that is not executable", { command: oddServer, args: [] }, `command is not executable: ${oddServer}`],
])("%s is named as such", async (_, program, reason) => {
  await using started = await withRegistry([stdio("broken", program)]);

  expect(started.registry.states()).toMatchObject([{ state: "failed", reason, tools: 0 }]);
});

test("a working directory that does not exist is named as such", async () => {
  await using started = await withRegistry([odd("plain", { cwd: "/no/such/directory" })]);

  expect(started.registry.states()[0]?.reason).toBe("working directory not found: /no/such/directory");
});

test("garbage on stdout does no harm", async () => {
  await using started = await withRegistry([odd("garbage")]);

  const outcome = await started.registry.call("garbage", "echo", { still: "fine" }, reading);

  expect(textOf(outcome)).toBe('{"still":"fine"}');
  const faults = started.lines.filter(({ message }) => message === "MCP connection reports a fault");
  expect(faults.map(({ level }) => level)).toEqual(["debug", "debug", "debug", "debug", "debug"]);
});

test("a flood on stdout and stderr neither stops calls nor fills the memory", async () => {
  await using started = await withRegistry([odd("flood")]);
  const before = process.memoryUsage().rss;

  for (let call = 0; call < 20; call++) {
    const outcome = await started.registry.call("flood", "echo", { call }, reading);
    expect(textOf(outcome)).toBe(`{"call":${call}}`);
  }

  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

test("an answer beyond 32 MiB fails its call at once, and the next call works", async () => {
  await using started = await withRegistry([odd("plain")]);

  const huge = await started.registry.call("plain", "big", { bytes: 33 * 1024 * 1024 }, reading);
  const next = await started.registry.call("plain", "echo", {}, reading);

  expect(huge).toMatchObject({ outcome: "error", reached: true, code: "protocol" });
  expect(textOf(huge)).toContain("ask for less");
  expect(next.outcome).toBe("ok");
});
