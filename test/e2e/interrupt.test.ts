import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { findProgram } from "../kit/findProgram.ts";
import { type Ended, type KorvusPlace, korvusPlace, type RunningKorvus } from "../kit/korvus.ts";
import { inTurn, providerMock, reporting } from "../kit/providerMock.ts";
import type { RawReply } from "../wire/rawServer.ts";
import { odd, patiently, probe, runOutput, skill } from "./runOutput.ts";

// The processes of several runs share the machine with those of other tests.
vi.setConfig({ testTimeout: 90_000 });

const onTerminal = { skip: findProgram("script") === undefined && !process.env["CI"] };

const unshare = process.getuid?.() === 0 ? findProgram("unshare") : undefined;
const mayMount = unshare !== undefined && spawnSync(unshare, ["-m", "true"]).status === 0;

/** The time from Ctrl-C to the end, ms: about a second, and room for a machine that is busy with other tests. */
const soon = 2000;
const ask = ["investigate", "why is checkout slow?", "--json"];
const silence = () => new Promise<RawReply>(() => {});

/** A server behind a shell that stays, beside two grandchildren that ignore SIGTERM and hold its output open. */
function wrapped({ command, args }: { command: string; args: string[] }): object {
  const deaf = `process.on("SIGTERM", () => {}); process.on("SIGHUP", () => {}); setInterval(() => {}, 1000)`;
  const script = `
    trap "" TERM HUP
    "$0" -e '${deaf}' &
    sh -c 'trap "" TERM HUP; while :; do sleep 1; done' &
    "$0" "$@"
    while :; do sleep 1; done`;
  return { command: "sh", args: ["-c", script, command, ...args] };
}
const wrappedProbe = wrapped(probe({}) as { command: string; args: string[] });

/** Interrupts once `moment` has come, and gives the end with the time it took to come. */
async function interruptedAt(
  moment: Promise<unknown>,
  running: RunningKorvus,
  signal: NodeJS.Signals = "SIGINT",
): Promise<Ended & { readonly took: number }> {
  await moment;
  const began = Date.now();
  running.kill(signal);
  const ended = await running.ended;
  return { ...ended, took: Date.now() - began };
}

async function expectAllGone(place: KorvusPlace, { code, took, stderr }: Ended & { took: number }): Promise<void> {
  expect(code).toBe(130);
  expect(took).toBeLessThan(soon);
  expect(stderr).not.toMatch(/unexpected|^\s+at /m);
  await place.nothingIsLeft();
}

describe.concurrent("Ctrl-C", () => {
  test("while servers connect ends at once, and every child and grandchild goes", async () => {
    await using place = await korvusPlace({
      mcp: { servers: { mute: odd("mute"), wrapped: wrappedProbe } },
      model: { provider: "ollama", name: "x" },
    });
    const running = place.start([...ask, "--record", "incident.jsonl"]);
    const moment = patiently("a tree of processes is there", () => place.processes().length >= 5);

    const ended = await interruptedAt(moment, running);

    expect(ended.stdout).toBe("");
    await expect(readFile(join(place.path, "incident.jsonl"))).rejects.toThrow("ENOENT");
    await expectAllGone(place, ended);
  });

  test("during a model call ends with the report so far", async () => {
    await using provider = await providerMock(
      inTurn({ text: "Looking at payments first.", calls: [{ name: "wrapped_echo", arguments: { text: "x" } }] }),
      (number) => (number === 1 ? silence() : undefined),
    );
    await using place = await korvusPlace(
      { mcp: { servers: { wrapped: wrappedProbe } }, model: provider.modelOf() },
      { "skills/probe.md": skill("probing", "wrapped") },
    );
    const running = place.start(ask);

    const ended = await interruptedAt(
      patiently("the second step is asked", () => provider.requests.length === 2),
      running,
    );

    expect(runOutput(ended)).toMatchObject({
      report: {
        verdict: "inconclusive",
        summary: "Looking at payments first.",
        skillsUsed: ["probing"],
        coverage: { servers: [{ server: "wrapped", calls: { ok: 1 } }], notices: ["the run was cancelled"] },
      },
      run: { ended: "cancelled" },
    });
    await expectAllGone(place, ended);
  });

  test("during a tool call ends with the report so far, in which the call is told as cut off", async () => {
    await using provider = await providerMock(inTurn({ calls: [{ name: "wrapped_slow", arguments: { ms: 60_000 } }] }));
    await using place = await korvusPlace({
      mcp: { servers: { wrapped: { ...wrappedProbe, env: { PROBE_LOG: "calls.jsonl" } } } },
      model: provider.modelOf(),
    });
    const running = place.start(ask);
    const moment = patiently("the call has reached the server", () =>
      readFile(join(place.path, "calls.jsonl"), "utf8").catch(() => ""),
    );

    const ended = await interruptedAt(moment, running);

    expect(runOutput(ended)).toMatchObject({
      report: { coverage: { servers: [{ server: "wrapped", state: "failed", calls: { error: 1 } }] } },
      run: { ended: "cancelled", calls: [{ message: "The call was cut off before it answered." }] },
    });
    await expectAllGone(place, ended);
  });

  test("while a provider is waited for ends at once", async () => {
    const busy: RawReply = { status: 429, headers: { "retry-after": "25" } };
    await using provider = await providerMock(inTurn({}), () => busy);
    await using place = await korvusPlace({ mcp: { servers: { probe: probe() } }, model: provider.modelOf() });
    const running = place.start(ask);

    const ended = await interruptedAt(running.until(/asked again after 25s/), running, "SIGTERM");

    expect(runOutput(ended).run).toMatchObject({ ended: "cancelled" });
    await expectAllGone(place, ended);
  });

  test("while the question is awaited from stdin ends at once", async () => {
    // A value that is too short to be redacted is warned about, which tells that the configuration has been read.
    await using place = await korvusPlace({ mcp: { servers: { probe: probe({ env: { X: "${SHORT}" } }) } } });
    const running = place.start(["investigate", "-"], { env: { SHORT: "ab" }, stdin: { open: true } });
    running.child.stdin?.write("why is");

    const ended = await interruptedAt(running.until(/SHORT is shorter/), running);

    await expectAllGone(place, ended);
  });

  // Only root may mount, and not in every container: where nobody may, there is no dead name server to be had.
  test("does not wait for a dead name server", { skip: !mayMount }, async () => {
    const nameServer = createSocket("udp4");
    await new Promise<void>((resolve) => nameServer.bind(53, "127.0.0.77", resolve));
    await using place = await korvusPlace(
      {
        mcp: { servers: { far: { url: "http://no-such-host.invalid/mcp" } } },
        model: { provider: "ollama", name: "x" },
      },
      { "resolv.conf": "nameserver 127.0.0.77\n" },
    );
    const inside = `mount --bind resolv.conf /etc/resolv.conf; exec "$0" "$@"`;
    const running = place.start(ask, { first: `exec unshare -m sh -c '${inside}' "$0" "$@"` });

    const ended = await interruptedAt(once(nameServer, "message"), running);
    nameServer.close();

    await expectAllGone(place, ended);
  });

  test("typed on a terminal ends a run as well, and leaves the line as it should be", onTerminal, async () => {
    await using provider = await providerMock(inTurn({}), silence);
    await using place = await korvusPlace({ mcp: { servers: { wrapped: wrappedProbe } }, model: provider.modelOf() });
    const running = place.startOnTerminal(["investigate", "why?"], 80);
    await patiently("the model is asked", () => provider.requests.length === 1);
    await running.until(/the model is thinking/);

    const began = Date.now();
    running.child.stdin?.write("\u0003");
    const ended = await running.ended;

    expect(ended.stdout).toMatch(/\u001b\[2K.*the run was cancelled/s);
    await expectAllGone(place, { ...ended, took: Date.now() - began });
  });

  test("pressed twice does not wait for anybody", async () => {
    await using place = await korvusPlace({
      mcp: { servers: { wrapped: wrappedProbe, mute: odd("mute") } },
      model: { provider: "ollama", name: "x" },
    });
    const running = place.start(ask);
    await patiently("a tree of processes is there", () => place.processes().length >= 5);

    running.kill("SIGINT");
    const ended = await interruptedAt(Promise.resolve(), running);

    await expectAllGone(place, ended);
  });

  test("prints the report so far for people, too", async () => {
    await using provider = await providerMock(inTurn({}), silence);
    await using place = await korvusPlace({ mcp: { servers: { probe: probe() } }, model: provider.modelOf() });
    const running = place.start(["investigate", "why?"]);

    const ended = await interruptedAt(
      patiently("the model is asked", () => provider.requests.length === 1),
      running,
    );

    expect(ended.stdout).toContain("INCONCLUSIVE");
    expect(ended.stdout).toContain("the run was cancelled");
    await expectAllGone(place, ended);
  });

  test("during mcp list and doctor leaves nothing either", async () => {
    for (const args of [["mcp", "list"], ["doctor"], ["skills", "list"]]) {
      await using place = await korvusPlace({ mcp: { servers: { mute: odd("mute"), wrapped: wrappedProbe } } });
      const running = place.start(args);
      const moment = patiently("a tree of processes is there", () => place.processes().length >= 5);

      await expectAllGone(place, await interruptedAt(moment, running));
    }
  });
});

test("a run that ends by itself takes the grandchildren with it as well", async () => {
  await using provider = await providerMock(inTurn(reporting("inconclusive")));
  await using place = await korvusPlace({ mcp: { servers: { wrapped: wrappedProbe } }, model: provider.modelOf() });

  const ended = await place.run(ask);

  expect(ended.code).toBe(0);
  await place.nothingIsLeft();
});
