import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/agent/events.ts";
import { systemClock as clock } from "../../src/clock/clock.ts";
import { pgBossQueue } from "../../src/fleet/pgBossQueue.ts";
import { memoryLog } from "../../src/log/log.ts";
import { storedSessions } from "../../src/session/sessions.ts";
import { storedEvents } from "../../src/session/storedLog.ts";
import { eventually } from "../kit/eventually.ts";
import { needs } from "../kit/needs.ts";
import { sessionGrounds } from "../kit/sessionGrounds.ts";
import { startPostgres } from "../kit/startPostgres.ts";
import { startProcess } from "../kit/startProcess.ts";
import { tempDir } from "../kit/tempDir.ts";
import type { AskedStep } from "./fleetSteps.ts";

const never = new AbortController().signal;
const program = join(import.meta.dirname, "fleetWorker.ts");
const linesOf = <T>(file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

/** PostgreSQL, somebody who makes sessions, and workers as processes. */
async function fleet() {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await startPostgres());
  const dir = stack.use(
    await tempDir({ "skills/probe.md": "---\nname: probe-skill\nmcp_server: probe\n---\nUse echo." }),
  );
  for (const file of ["calls.jsonl", "asked.jsonl"]) writeFileSync(join(dir.path, file), "");
  mkdirSync(join(dir.path, "state"));
  const database = { kind: "postgres", url: postgres.url } as const;
  const maker = stack.use(
    await sessionGrounds({ steps: () => ({ failed: "invalid-request" }), directory: dir.path, database }),
  );
  const queue = stack.use(await pgBossQueue({ url: postgres.url, name: "sessions", clock, log: memoryLog() }));
  const { store } = maker.surroundings;
  const owned = stack.move();
  return {
    postgres,
    store,
    async worker(name: string, concurrency = 200) {
      const running = startProcess(process.execPath, [program, dir.path, postgres.url, name, String(concurrency)]);
      await running.until(/ready/);
      return running;
    },
    async make(count: number): Promise<readonly string[]> {
      const sessions = storedSessions(maker.surroundings, queue);
      const rows: string[] = [];
      for (let number = 0; number < count; number++)
        rows.push((await sessions.create({ question: `q-${number}`, queued: true }, never)).id);
      return rows;
    },
    /** Who runs sessions now. */
    async owners(): Promise<ReadonlySet<string | undefined>> {
      const { sessions } = await store.list({ limit: 1_000, status: "running" });
      return new Set(sessions.map(({ owner }) => owner));
    },
    ended: async () => (await store.counts()).ended,
    /** Fails unless every session ended well, no event is lost or doubled, and nothing finished was done again. */
    async holds(ids: readonly string[]): Promise<void> {
      const asked = linesOf<AskedStep>(join(dir.path, "asked.jsonl"));
      const written = linesOf<{ tool: string; args: { value: string } }>(join(dir.path, "calls.jsonl")).filter(
        ({ tool }) => tool === "write",
      );
      for (const id of ids) {
        const events = (await Array.fromAsync(storedEvents(store, id, 0))) as readonly RunEvent[];
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        expect(events.filter(({ type }) => type === "report")).toHaveLength(1);
        expect(events.at(-1)).toMatchObject({ type: "run.ended", reason: "reported" });
        const started = events.find((event) => event.type === "run.started");
        const question = started?.type === "run.started" ? started.question : "";
        expect(
          written.filter(({ args }) => args.value === question).length,
          `writes of ${question}`,
        ).toBeLessThanOrEqual(1);
        const answeredAt = events.flatMap((event) =>
          event.type === "step.answered" ? [[event.step, event.at] as const] : [],
        );
        expect(answeredAt.map(([step]) => step)).toEqual([1, 2, 3, 4, 5]);
        for (const [step, at] of answeredAt) {
          // One clock: what is asked after the answer stands in the log is asked again.
          const late = asked.filter(
            (line) => line.question === question && line.step === step - 1 && line.at > at + 50,
          );
          expect(late, `${question} step ${step}, answered at ${at}`).toEqual([]);
        }
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

describe("a fleet on PostgreSQL", needs("postgres"), () => {
  test("two hundred sessions on two workers, one killed and one frozen and woken: all end, nothing is lost, doubled or repeated", {
    timeout: 240_000,
  }, async () => {
    await using place = await fleet();
    const ids = await place.make(200);
    // Too many for one of them: both have some in mid-run, whoever is ready first.
    const [first, second] = await Promise.all([place.worker("killed", 60), place.worker("frozen", 60)]);
    await using killed = first;
    await using frozen = second;
    await eventually("both run sessions", async () => {
      const owners = await place.owners();
      return owners.has("killed") && owners.has("frozen");
    });

    killed.kill("SIGKILL");
    await delay(400);
    frozen.kill("SIGSTOP");
    await using _third = await place.worker("third");
    await eventually("most have ended without them", async () => (await place.ended()) >= 150, 120_000);
    frozen.kill("SIGCONT");

    await eventually("all have ended", async () => (await place.ended()) === 200, 120_000);
    await delay(1_500);
    const taken = await Promise.all(ids.map(async (id) => (await place.store.session(id))?.epoch ?? 0));
    expect(taken.filter((epoch) => epoch > 1).length, "sessions that changed hands").toBeGreaterThan(20);
    await place.holds(ids);
  });

  test("PostgreSQL that is killed in mid-run costs time, and nothing else", { timeout: 180_000 }, async () => {
    await using place = await fleet();
    const ids = await place.make(30);
    await using _worker = await place.worker("one");
    await delay(600);

    await place.postgres.restart("SIGKILL");
    await delay(500);
    await place.postgres.restart("SIGINT");

    await eventually("all have ended", async () => (await place.ended()) === 30, 120_000);
    await place.holds(ids);
  });

  test("a worker that is told to stop hands its sessions on", { timeout: 120_000 }, async () => {
    await using place = await fleet();
    const ids = await place.make(20);
    await using first = await place.worker("first");
    await delay(500);
    await using _second = await place.worker("second");

    first.kill("SIGTERM");
    expect(await first.exited).toBe(0);

    await eventually("all have ended", async () => (await place.ended()) === 20, 60_000);
    await place.holds(ids);
  });
});
