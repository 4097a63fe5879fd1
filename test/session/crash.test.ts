import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/agent/events.ts";
import { systemClock as clock } from "../../src/clock/clock.ts";
import { memoryLog } from "../../src/log/log.ts";
import { storedEvents } from "../../src/session/storedLog.ts";
import { openStore, type StoreAddress } from "../../src/store/openStore.ts";
import { eventually } from "../kit/eventually.ts";
import { needs } from "../kit/needs.ts";
import { reportOf } from "../kit/probeRun.ts";
import { type RunningPostgres, startPostgres } from "../kit/startPostgres.ts";
import { startProcess } from "../kit/startProcess.ts";
import { tempDir } from "../kit/tempDir.ts";

const program = join(import.meta.dirname, "crashingRun.ts");

let postgres: RunningPostgres | undefined;
let databases = 0;
beforeAll(async () => {
  if (!needs("postgres").skip) postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
});

const kinds: readonly [string, { skip: boolean }, (directory: string) => Promise<StoreAddress>][] = [
  ["SQLite", { skip: false }, async (directory) => ({ kind: "sqlite", path: join(directory, "state/korvus.db") })],
  [
    "PostgreSQL",
    needs("postgres"),
    async () => ({ kind: "postgres", url: (await postgres?.createDatabase(`crash${++databases}`)) ?? "" }),
  ],
];

const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);

function hasOpenCall(events: readonly RunEvent[]): boolean {
  const of = (type: "call.started" | "call.finished") => events.filter((event) => event.type === type).length;
  return of("call.started") > of("call.finished");
}

describe.each(kinds)("on %s", (_, { skip }, place) => {
  /** One session whose process is killed after each of `pauses` in turn, and then runs to its end. */
  async function crashing(pauses: readonly number[], killWhen?: (directory: string) => boolean) {
    await using dir = await tempDir();
    mkdirSync(join(dir.path, "skills"));
    writeFileSync(join(dir.path, "skills/probe.md"), "---\nname: probe-skill\nmcp_server: probe\n---\nUse echo.");
    const address = await place(dir.path);
    let session = "";
    let cutOff = false;
    for (const pause of [...pauses, 0]) {
      const args = [program, dir.path, JSON.stringify(address), session, String(pause)];
      await using running = startProcess(process.execPath, args);
      const [, id = ""] = await running.until(/session (\w+)/);
      session = id;
      if (pause === 0) await running.until(/^done$/m);
      else if (killWhen) await eventually("it is time to kill", () => killWhen(dir.path));
      else if (pause > 1) await running.until(/^paused$/m);
      running.kill("SIGKILL");
      await running.exited;
      await using store = await openStore(address, { clock, log: memoryLog() });
      const kept = (await Array.fromAsync(storedEvents(store, session, 0))) as readonly RunEvent[];
      cutOff ||= pause > 0 && hasOpenCall(kept);
    }
    await using store = await openStore(address, { clock, log: memoryLog() });
    return {
      /** A process was killed after the start of a call and before its end was kept: its effect is not known. */
      cutOff,
      events: (await Array.fromAsync(storedEvents(store, session, 0))) as readonly RunEvent[],
      row: await store.session(session),
      asked: linesOf(join(dir.path, "asked.jsonl")),
      effects: linesOf(join(dir.path, "calls.jsonl")).map((line) => (JSON.parse(line) as { tool: string }).tool),
    };
  }

  test("a session that is killed at any event ends with the same report, and nothing is asked or done twice", {
    skip,
    timeout: 240_000,
  }, async () => {
    const whole = await crashing([]);
    expect(reportOf(whole.events)).toMatchObject({ verdict: "likely", skillsUsed: ["probe-skill"] });
    expect(whole.asked).toEqual(["0", "1", "2"]);
    expect(whole.effects.toSorted()).toEqual(["echo", "fail", "write_slowly"]);
    const stops = whole.events.map(({ seq }) => seq);

    const queue = stops.values();
    const check = async () => {
      for (const stop of queue) {
        const { events, row, asked, effects, cutOff } = await crashing([stop]);
        const about = `killed after event ${stop}`;
        expect(
          events.map(({ seq }) => seq),
          about,
        ).toEqual(events.map((_event, index) => index + 1));
        expect(row, about).toMatchObject({ status: "ended", ended: "reported", verdict: "likely" });
        expect(asked, about).toEqual(whole.asked);
        expect(effects.filter((tool) => tool === "write_slowly").length, about).toBeLessThanOrEqual(1);
        if (!cutOff) expect(effects.toSorted(), about).toEqual(whole.effects.toSorted());
        if (!cutOff) expect(reportOf(events), about).toEqual(reportOf(whole.events));
      }
    };
    await Promise.all([check(), check()]);
  });

  test("killed between a tool's effect and its append, a writing call is unknown and not made again", {
    skip,
    timeout: 60_000,
  }, async () => {
    const { events, effects } = await crashing([1_000], (directory) =>
      linesOf(join(directory, "calls.jsonl")).some((line) => line.includes("write_slowly")),
    );

    expect(effects.filter((tool) => tool === "write_slowly")).toHaveLength(1);
    const decided = events.find((event) => event.type === "call.decided" && event.name === "probe_write_slowly");
    const number = decided?.type === "call.decided" ? decided.number : 0;
    const ends = events.filter((event) => event.type === "call.finished" && event.number === number);
    expect(ends).toMatchObject([{ outcome: "unknown", message: expect.stringContaining("Nobody knows") }]);
    expect(events.at(-1)).toMatchObject({ type: "run.ended", reason: "reported" });
  });

  test("killed again and again, a session still ends once", { skip, timeout: 60_000 }, async () => {
    const { events, asked } = await crashing([2, 4, 6, 9, 12, 15]);

    expect(events.filter(({ type }) => type === "report")).toHaveLength(1);
    expect(asked).toEqual(["0", "1", "2"]);
  });
});
