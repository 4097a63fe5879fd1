import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { drain, probeRun, reportOf } from "../../test/kit/probeRun.ts";
import { resumableRun } from "../../test/kit/resumeScript.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import { memoryEventLog } from "./eventLog.ts";
import type { RunEvent } from "./events.ts";
import { runLoop } from "./loop.ts";
import { promptOf } from "./prompt.ts";

const program = join(import.meta.dirname, "../../test/kit/resumeScript.ts");

async function resumedElsewhere(directory: string): Promise<readonly RunEvent[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, directory], { maxBuffer: 1 << 26 });
  return JSON.parse(stdout) as RunEvent[];
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

/** Without what only the log itself knows. */
const bodies = (events: readonly RunEvent[]) =>
  events.map(({ at: _at, seq: _seq, ...body }) => ({
    ...body,
    ...("duration" in body ? { duration: 0 } : {}),
    ...("run" in body ? { run: "", delimiter: "" } : {}),
  }));

test("a run that stops after any event is resumed in a new process to the same report, and nothing is done twice", async () => {
  await using whole = await tempDir();
  const complete = await resumableRun(whole.path);
  const effects = linesOf(join(whole.path, "calls.jsonl")).toSorted();
  const asked = linesOf(join(whole.path, "asked.jsonl"));
  expect(reportOf(complete)).toMatchObject({ verdict: "likely", skillsUsed: ["probe-skill"] });
  expect(effects).toHaveLength(3);

  const stops = complete.map(({ seq }) => seq);
  const check = async (stop: number) => {
    await using dir = await tempDir();
    const events = await resumableRun(dir.path, stop);
    await writeFile(join(dir.path, "events.json"), JSON.stringify(events));

    const resumed = await resumedElsewhere(dir.path);

    expect(reportOf(resumed), `stopped after ${stop}`).toEqual(reportOf(complete));
    expect(bodies(resumed.slice(0, events.length)).map(({ type }) => type)).toEqual(events.map(({ type }) => type));
    expect(linesOf(join(dir.path, "asked.jsonl")), `stopped after ${stop}`).toEqual(asked);
    expect(linesOf(join(dir.path, "calls.jsonl")).toSorted(), `stopped after ${stop}`).toEqual(effects);
  };
  // Two at a time: each is a process of its own.
  const queue = stops.values();
  await Promise.all(
    [0, 1].map(async () => {
      for (const stop of queue) await check(stop);
    }),
  );
}, 120_000);

test("a log that was cut inside a batch of appended events is resumed as well", async () => {
  await using whole = await tempDir();
  const complete = await resumableRun(whole.path);
  const batch = complete.findIndex(({ type }) => type === "call.decided") + 1;

  await using dir = await tempDir();
  await writeFile(join(dir.path, "events.json"), JSON.stringify(complete.slice(0, batch)));
  const resumed = await resumedElsewhere(dir.path);

  expect(reportOf(resumed)).toEqual(reportOf(complete));
});

test("a call that a crash cut off is made again if it only reads, and is unknown if it may write", async () => {
  await using whole = await tempDir();
  const complete = await resumableRun(whole.path);
  const cutAfterStart = async (tool: string) => {
    const number = complete.find((event) => event.type === "call.decided" && event.name === tool) as {
      number: number;
    } & RunEvent;
    const cut = complete.findIndex((event) => event.type === "call.started" && event.number === number.number) + 1;
    await using dir = await tempDir();
    await writeFile(join(dir.path, "events.json"), JSON.stringify(complete.slice(0, cut)));
    const resumed = await resumedElsewhere(dir.path);
    return {
      outcome: resumed.find((event) => event.type === "call.finished" && event.number === number.number),
      effects: linesOf(join(dir.path, "calls.jsonl")).filter((line) =>
        line.includes(`"${tool.replace("probe_", "")}"`),
      ),
    };
  };

  const read = await cutAfterStart("probe_echo");
  const write = await cutAfterStart("probe_write");

  expect(read).toMatchObject({ outcome: { outcome: "ok" }, effects: [expect.any(String)] });
  expect(write).toMatchObject({ outcome: { outcome: "unknown" }, effects: [] });
});

test("a log is not continued with another system prompt", async () => {
  await using probe = await probeRun();
  const log = memoryEventLog();
  await drain(runLoop(probe.context([{ text: "a" }, { text: "b" }], { log }), new AbortController().signal));
  const unfinished = memoryEventLog(log.events.slice(0, 3));

  const resumed = drain(
    runLoop(probe.context([], { log: unfinished, prompt: promptOf("another") }), new AbortController().signal),
  );

  await expect(resumed).rejects.toMatchObject({ code: "prompt-changed" });
});
