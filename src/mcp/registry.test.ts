import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../test/kit/eventually.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import { childProcesses } from "../../test/mcp/childProcesses.ts";
import { isRunning } from "../../test/mcp/isRunning.ts";
import { never, newRegistry, odd, reading, textOf, withRegistry } from "../../test/mcp/withRegistry.ts";
import { redactor } from "../redact/redact.ts";
import type { RegistryObserver } from "./registry.ts";
import { toolNames } from "./toolNames.ts";

test("tools are sorted by server, then name, denied ones are left out and cannot be called", async () => {
  await using started = await withRegistry([
    odd("plain", { name: "b", denyTools: ["*e", "d*", "big"] }),
    odd("plain", { name: "B" }),
  ]);
  const { registry } = started;

  const denied = await registry.call("b", "die", {}, reading);

  const namesOf = (name: string) =>
    registry.tools().flatMap(({ server, tool }) => (server === name ? [tool.name] : []));
  expect(registry.connected()).toEqual(["B", "b"]);
  expect([...new Set(registry.tools().map(({ server }) => server))]).toEqual(["B", "b"]);
  expect(namesOf("B")).toEqual(namesOf("B").toSorted());
  expect(namesOf("b")).toEqual(namesOf("B").filter((name) => !/e$|^d|^big$/.test(name)));
  expect(denied).toMatchObject({ outcome: "error", reached: false });
  expect(registry.states()).toMatchObject([{ tools: 22 }, { tools: namesOf("b").length }]);
});

test("two servers with a tool of one name get distinct names and their own calls", async () => {
  await using started = await withRegistry([odd("plain", { name: "one" }), odd("plain", { name: "two" })]);
  const { registry } = started;
  const addresses = registry.tools().map(({ server, tool }) => ({ server, tool: tool.name }));
  const names = toolNames(addresses, []);

  const pids = await Promise.all(
    ["one_pid", "two_pid"].map(async (name) => {
      const { server, tool } = names.byName.get(name) ?? { server: "", tool: "" };
      return textOf(await registry.call(server, tool, {}, reading));
    }),
  );

  expect(new Set(pids).size).toBe(2);
  expect(registry.states()[0]?.fingerprint).toBe(registry.states()[1]?.fingerprint);
});

test("everything that comes out is redacted: lists, results, reasons, logs, what an observer sees", async () => {
  await using dir = await tempDir({ tools: "token-abcdef-tool\n" });
  const seen: unknown[] = [];
  const observer: RegistryObserver = {
    listing: (server, tools) => seen.push({ server, tools }),
    call: (server, tool, args, outcome) => seen.push({ server, tool, args, outcome }),
  };
  await using started = await withRegistry(
    [odd("file", { env: { ODD_FILE: join(dir.path, "tools") } }), odd("dies"), odd("plain")],
    { redact: redactor([{ name: "TOKEN", value: "token-abcdef" }]), observer },
  );
  const { registry } = started;

  const named = await registry.call("file", "[redacted:TOKEN]-tool", { q: "token-abcdef" }, reading);
  const fault = await registry.call("plain", "fault", {}, reading);

  expect(textOf(named)).toBe('{"q":"[redacted:TOKEN]"}');
  expect(textOf(fault)).toContain("no such metric: [redacted:TOKEN]");
  const all = JSON.stringify([registry.states(), registry.tools(), started.lines, seen, named, fault]);
  expect(all).toContain("[redacted:TOKEN]");
  expect(all).not.toContain("token-abcdef");
  expect(seen.length).toBe(4);
});

test("the tool list is frozen for a run, a changed one counts after a refresh", async () => {
  await using dir = await tempDir({ tools: "first\ngrow\n" });
  await using started = await withRegistry([odd("file", { env: { ODD_FILE: join(dir.path, "tools") } })]);
  const { registry } = started;
  const before = registry.tools();
  const noticed = "MCP server changed its tools: the new ones count for the next run";

  await registry.call("file", "grow", {}, reading);
  await eventually("the change is noticed", () => started.lines.some(({ message }) => message === noticed));

  expect(registry.tools()).toBe(before);
  expect(Object.isFrozen(before)).toBe(true);
  expect((await registry.call("file", "grown", {}, reading)).reached).toBe(false);
  await registry.refresh(never);
  expect(registry.tools().map(({ tool }) => tool.name)).toEqual(["first", "grow", "grown"]);
  expect((await registry.call("file", "grown", {}, reading)).reached).toBe(true);
});

test("an empty list is never final: a refresh asks again", async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "tools");
  await using started = await withRegistry([odd("file", { env: { ODD_FILE: file } })]);
  const { registry } = started;
  const before = registry.tools();
  await writeFile(file, "late\n");

  await registry.refresh(never);

  expect(before).toEqual([]);
  expect(registry.tools().map(({ tool }) => tool.name)).toEqual(["late"]);
  expect((await registry.call("file", "late", {}, reading)).outcome).toBe("ok");
});

test("tools that differ after a reconnect are reported, and the run keeps its list", async () => {
  await using dir = await tempDir({ tools: "first\n" });
  const file = join(dir.path, "tools");
  await using started = await withRegistry([odd("file", { env: { ODD_FILE: file } })]);
  const { registry } = started;
  const before = registry.tools();
  await writeFile(file, "first\nsecond\n");
  process.kill(childProcesses("oddServer.ts file")[0] ?? 0, "SIGKILL");
  await eventually("the loss is seen", () => registry.states()[0]?.state === "lost");

  const healed = await registry.call("file", "first", {}, reading);

  expect(healed).toMatchObject({ outcome: "ok", retried: false });
  expect(registry.tools()).toBe(before);
  const warnings = started.lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  expect(warnings).toEqual([
    "connection to MCP server lost",
    "tools of MCP server changed while it was away: the new ones count for the next run",
  ]);
  await registry.refresh(never);
  expect(registry.tools().map(({ tool }) => tool.name)).toEqual(["first", "second"]);
});

test("closing is idempotent and ends calls that are under way", async () => {
  await using started = await withRegistry([odd("plain")]);
  const { registry } = started;
  const call = registry.call("plain", "hang", {}, reading);

  await Promise.all([registry.close(), registry.close()]);

  expect(await call).toMatchObject({ outcome: "error" });
  expect(await registry.call("plain", "echo", {}, reading)).toMatchObject({ outcome: "error", reached: false });
});

test("a registry that is closed in the middle of its start leaves nothing behind", async () => {
  await using made = newRegistry([odd("plain"), odd("mute"), odd("stubborn")]);
  const start = made.registry.start(never);
  const refused = expect(start).rejects.toThrow("closed");
  await eventually("the servers run", () => childProcesses("oddServer.ts").length === 3);

  const began = Date.now();
  await made.registry.close();

  expect(Date.now() - began).toBeLessThan(2000);
  expect(childProcesses("oddServer.ts").filter(isRunning)).toEqual([]);
  await refused;
});

test("a start that is cancelled rejects with the signal's reason, and servers under way are ended", async () => {
  await using made = newRegistry([odd("mute")]);
  const cancel = new AbortController();
  const reason = new Error("the user pressed Ctrl-C");
  const start = made.registry.start(cancel.signal);
  await eventually("the server runs", () => childProcesses("oddServer.ts").length === 1);

  cancel.abort(reason);

  await expect(start).rejects.toBe(reason);
  expect(childProcesses("oddServer.ts").filter(isRunning)).toEqual([]);
});
