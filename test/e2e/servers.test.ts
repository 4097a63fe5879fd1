import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { freePort } from "../kit/freePort.ts";
import { endProcess, type KorvusPlace, korvusPlace } from "../kit/korvus.ts";
import { inTurn, providerMock, reporting } from "../kit/providerMock.ts";
import { type RunningProcess, startProcess } from "../kit/startProcess.ts";
import { thirdParty } from "../kit/thirdParty.ts";
import { odd, patiently, probe, runOutput, skill } from "./runOutput.ts";

// The processes of several runs share the machine with those of other tests.
vi.setConfig({ testTimeout: 90_000 });

const ask = ["investigate", "why is checkout slow?", "--json"];
const skillOf = (...servers: readonly string[]) =>
  Object.fromEntries(servers.map((server) => [`skills/${server}.md`, skill(`${server}-skill`, server)]));

async function startEverything(port: number): Promise<RunningProcess> {
  const { command, args } = thirdParty.everything;
  const env = { PATH: process.env["PATH"] ?? "", PORT: String(port) };
  const server = startProcess(command, [...args, "streamableHttp"], { env });
  await server.until(/listening on port/);
  return server;
}

/** The process of a server, told by its command line, that runs now. */
async function pidOf(place: KorvusPlace, mark: string): Promise<number> {
  const found = await patiently(`a process with ${mark}`, () =>
    place.processes().find(({ command }) => command.includes(mark)),
  );
  return found.pid;
}

const kill = (pid: number) => endProcess(pid, "SIGKILL");

describe.concurrent("a run whose servers fail", () => {
  test("servers that are killed, restarted or hung between two steps cost no more than they must", async () => {
    const port = await freePort();
    let everything = await startEverything(port);
    await using provider = await providerMock(
      inTurn(
        {
          calls: [
            { name: "doomed_echo", arguments: { text: "one" } },
            { name: "everything_echo", arguments: { message: "one" } },
            { name: "frozen_echo", arguments: { text: "one" } },
          ],
        },
        async () => {
          kill(await pidOf(place, "doomed"));
          endProcess(await pidOf(place, "frozen"), "SIGSTOP");
          await everything[Symbol.asyncDispose]();
          everything = await startEverything(port);
          return {
            calls: [
              { name: "doomed_echo", arguments: { text: "two" } },
              { name: "everything_echo", arguments: { message: "two" } },
              { name: "frozen_echo", arguments: { text: "two" } },
            ],
          };
        },
        reporting("confirmed", [1, "doomed"], [4, "doomed"], [5, "everything"], [6, "frozen"]),
      ),
    );
    const { args: program } = probe() as { args: string[] };
    await using place = await korvusPlace(
      {
        mcp: {
          call_timeout: "1500ms",
          servers: {
            doomed: probe({ args: [...program, "doomed"] }),
            everything: { url: `http://127.0.0.1:${port}/mcp` },
            frozen: probe({ args: [...program, "frozen"] }),
          },
        },
        policy: { allow: ["everything.echo"] },
        model: provider.modelOf(),
      },
      skillOf("doomed", "everything", "frozen"),
    );

    const ended = await place.run(ask);
    await everything[Symbol.asyncDispose]();

    expect(ended.code).toBe(0);
    const { report, run } = runOutput(ended);
    expect(run.calls.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok", "ok", "ok", "timeout", "ok"]);
    expect(report.findings.map(({ status, problems }) => [status, ...problems])).toEqual([
      ["supported"],
      ["supported"],
      ["supported"],
      ["unsupported", "call 6 timed out"],
    ]);
    expect(report.skillsUsed).toEqual(["doomed-skill", "everything-skill", "frozen-skill"]);
    expect(report.coverage.servers).toEqual([
      { server: "doomed", state: "answered", calls: { ok: 2 } },
      { server: "everything", state: "answered", calls: { ok: 2 } },
      { server: "frozen", state: "answered", calls: { ok: 1, timeout: 1 } },
    ]);
    expect(ended.stderr).toMatch(/connection to MCP server lost .*server=doomed/);
    await place.nothingIsLeft();
  });

  test("a call in flight is made again when its server is killed and only reads, and is unknown when it may write", async () => {
    await using provider = await providerMock(
      inTurn(
        () => {
          void delay(1000).then(() => killProbe(place));
          return { calls: [{ name: "probe_slow", arguments: { ms: 2000 } }] };
        },
        () => {
          void delay(1000).then(() => killProbe(place));
          return { calls: [{ name: "probe_write_slowly", arguments: { ms: 2000 } }] };
        },
        reporting("likely", [1, "probe"], [2, "probe"]),
      ),
    );
    await using place = await korvusPlace({
      mcp: { servers: { probe: probe({ env: { PROBE_LOG: "calls.jsonl" } }) } },
      policy: { allow: ["probe.*"] },
      model: provider.modelOf(),
    });

    const ended = await place.run(ask);

    expect(ended.code).toBe(0);
    const { report } = runOutput(ended);
    expect(report.findings[0]).toMatchObject({ status: "supported" });
    expect(report.findings[1]).toMatchObject({ problems: ["call 2 broke off without an answer"] });
    expect(report.coverage.servers).toEqual([{ server: "probe", state: "answered", calls: { ok: 1, unknown: 1 } }]);
    expect(await readLines(join(place.path, "calls.jsonl"))).toEqual([
      '{"tool":"slow","args":{"ms":2000}}',
      '{"tool":"slow","args":{"ms":2000}}',
      '{"tool":"write_slowly","args":{"ms":2000}}',
    ]);
    await place.nothingIsLeft();
  });

  test("servers that die at start, hang, never list or refuse have their skills dropped, and the run goes on", async () => {
    await using provider = await providerMock(
      inTurn({ calls: [{ name: "probe_echo", arguments: { text: "x" } }] }, reporting("likely", [1, "probe"])),
    );
    const broken = {
      dies: odd("dies"),
      failing: odd("list-fails"),
      missing: { command: "no-such-program-anywhere" },
      mute: odd("mute"),
      refused: { url: `http://127.0.0.1:${await freePort()}/mcp` },
      unlisted: odd("list-hangs"),
    };
    await using place = await korvusPlace(
      {
        mcp: { connect_timeout: "8s", servers: { ...broken, probe: probe() } },
        model: provider.modelOf(),
      },
      skillOf(...Object.keys(broken), "probe"),
    );

    const [list, ended] = await Promise.all([place.run(["skills", "list", "--json"]), place.run(ask)]);

    expect([list.code, ended.code]).toEqual([0, 0]);
    const listed = JSON.parse(list.stdout) as {
      skills: { name: string }[];
      dropped: { name: string; reason: string }[];
    };
    const { report } = runOutput(ended);
    expect(listed.skills.map(({ name }) => name)).toEqual(["probe-skill"]);
    expect(listed.dropped.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      expect.stringMatching(/^dies-skill: dies is not connected \(.*exited with code 3/s),
      expect.stringMatching(/^failing-skill: failing is not connected \(.*the catalog is locked/),
      expect.stringMatching(/^missing-skill: missing is not connected \(command not found/),
      expect.stringMatching(/^mute-skill: mute is not connected \(.*8 s/),
      expect.stringMatching(/^refused-skill: refused is not connected \(.*ECONNREFUSED/),
      expect.stringMatching(/^unlisted-skill: unlisted is not connected \(.*8 s/),
    ]);
    expect(report.coverage.skillsDropped).toEqual(listed.dropped);
    expect(report.skillsUsed).toEqual(["probe-skill"]);
    expect(report.coverage.servers.map(({ server, state }) => `${server}: ${state}`)).toEqual(
      [...Object.keys(broken).map((name) => `${name}: not connected`), "probe: answered"].toSorted(),
    );
    for (const name of Object.keys(broken)) expect(provider.requests[0]?.body).not.toContain(`${name}-skill`);
    await place.nothingIsLeft();
  });

  test("when no server connects, no model is asked, and a report comes with exit code 2", async () => {
    await using provider = await providerMock(inTurn(reporting("confirmed")));
    await using place = await korvusPlace(
      { mcp: { servers: { dies: odd("dies"), gone: { command: "no-such-program" } } }, model: provider.modelOf() },
      skillOf("dies"),
    );

    const ended = await place.run(ask);

    expect(ended.code).toBe(2);
    expect(provider.requests).toEqual([]);
    expect(runOutput(ended).report).toMatchObject({
      verdict: "inconclusive",
      coverage: {
        servers: [{ state: "not connected" }, { state: "not connected" }],
        skillsDropped: [{ name: "dies-skill" }],
      },
    });
  });

  test("when the only server dies for good in mid-run, the model reads so, and the exit code is 2", async () => {
    const read: string[] = [];
    await using provider = await providerMock(
      inTurn(
        async () => {
          kill(await pidOf(place, "probeServer"));
          await delay(200);
          return { calls: [{ name: "once_echo", arguments: { text: "x" } }] };
        },
        ({ results }) => {
          read.push(results.at(-1)?.text ?? "");
          return reporting("likely", [1, "once"]);
        },
      ),
    );
    const { command, args } = probe() as { command: string; args: string[] };
    const script = `test -e started && { echo "no second time" >&2; exit 1; }; touch started; exec "$@"`;
    await using place = await korvusPlace(
      {
        mcp: { servers: { once: { command: "sh", args: ["-c", script, "sh", command, ...args] } } },
        model: provider.modelOf(),
      },
      skillOf("once"),
    );

    const ended = await place.run(ask);

    expect(ended.code).toBe(2);
    expect(read[0]).toMatch(/once is not connected: .*exited with code 1.*no second time/s);
    const { report } = runOutput(ended);
    expect(report.skillsUsed).toEqual([]);
    expect(report.findings[0]).toMatchObject({ status: "unsupported", problems: ["call 1 failed"] });
    expect(report.coverage.servers).toEqual([{ server: "once", state: "failed", calls: { error: 1 } }]);
  });

  test("two servers with a tool of one name are told apart, in calls, citations and attribution", async () => {
    await using provider = await providerMock(
      inTurn(
        {
          calls: [
            { name: "a_echo", arguments: { text: "from a" } },
            { name: "b_echo", arguments: { text: "from b" } },
          ],
        },
        ({ results }) => reporting("likely", ...results.map(({ call = 0, server = "" }) => [call, server] as const)),
      ),
    );
    const servers = Object.fromEntries(
      ["a", "b"].map((name) => [name, probe({ env: { PROBE_LOG: `calls-${name}.jsonl` } })]),
    );
    await using place = await korvusPlace({ mcp: { servers }, model: provider.modelOf() }, skillOf("a", "b"));

    const ended = await place.run(ask);

    const { report } = runOutput(ended);
    expect(report.findings.map(({ status, evidence }) => [status, evidence[0]?.server])).toEqual([
      ["supported", "a"],
      ["supported", "b"],
    ]);
    expect(report.skillsUsed).toEqual(["a-skill", "b-skill"]);
    const calls = await Promise.all(["a", "b"].map((name) => readLines(join(place.path, `calls-${name}.jsonl`))));
    expect(calls).toEqual([['{"tool":"echo","args":{"text":"from a"}}'], ['{"tool":"echo","args":{"text":"from b"}}']]);
  });
});

async function killProbe(place: KorvusPlace): Promise<void> {
  kill(await pidOf(place, "probeServer"));
}

async function readLines(file: string): Promise<readonly string[]> {
  return (await readFile(file, "utf8")).trim().split("\n");
}
