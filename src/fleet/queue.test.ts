import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../test/kit/eventually.ts";
import { needs } from "../../test/kit/needs.ts";
import { type RunningPostgres, startPostgres } from "../../test/kit/startPostgres.ts";
import { startProcess } from "../../test/kit/startProcess.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import { systemClock as clock } from "../clock/clock.ts";
import { memoryLog } from "../log/log.ts";
import { localQueue } from "./localQueue.ts";
import { pgBossQueue } from "./pgBossQueue.ts";
import type { Queue } from "./queue.ts";

const log = memoryLog();
let postgres: RunningPostgres | undefined;
let databases = 0;
beforeAll(async () => {
  if (!needs("postgres").skip) postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
});
const newDatabase = async () => (await postgres?.createDatabase(`queue${++databases}`)) ?? "";

const kinds: readonly [string, { skip: boolean; timeout?: number }, () => Promise<Queue>][] = [
  ["in one process", { skip: false }, async () => localQueue({ clock, log, waiting: async () => [] })],
  [
    "on PostgreSQL",
    { ...needs("postgres"), timeout: 60_000 },
    async () => pgBossQueue({ url: await newDatabase(), name: "test", clock, log }),
  ],
];

describe.each(kinds)("a queue %s", (_, options, open) => {
  test("delivers what is added, at most so many at once", options, async () => {
    await using queue = await open();
    const done: string[] = [];
    let running = 0;
    let most = 0;
    for (let count = 0; count < 5; count++) await queue.add(`early ${count}`);

    await queue.work(
      async (key) => {
        most = Math.max(most, ++running);
        await delay(20);
        running--;
        done.push(key);
      },
      { concurrency: 3 },
    );
    for (let count = 0; count < 5; count++) await queue.add(`late ${count}`);

    await eventually("all ten are done", () => done.length === 10);
    expect(new Set(done).size).toBe(10);
    expect(most).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(1);
  });

  test("what waits already is not doubled; what is being worked on comes once more", options, async () => {
    await using queue = await open();
    const starts: string[] = [];
    let goOn = () => {};
    for (let count = 0; count < 3; count++) await queue.add("key");

    await queue.work(
      async (key) => {
        starts.push(key);
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
      },
      { concurrency: 5 },
    );
    await eventually("the first starts", () => starts.length === 1);
    for (let count = 0; count < 3; count++) await queue.add("key");
    await delay(700);
    expect(starts).toHaveLength(1);
    goOn();
    await eventually("the second starts", () => starts.length === 2);
    goOn();
    await delay(1_500);

    expect(starts).toHaveLength(2);
  });

  test("a key whose handler rejects comes again, and says why", options, async () => {
    await using queue = await open();
    let tries = 0;

    await queue.work(
      async () => {
        tries++;
        if (tries === 1) throw new Error("not yet");
      },
      { concurrency: 2 },
    );
    await queue.add("key");

    await eventually("it is tried again", () => tries === 2, 20_000);
    expect(log.lines.some(({ message }) => message.includes("not yet"))).toBe(true);
  });

  test("draining waits for handlers, and after its patience tells them to leave", options, async () => {
    await using queue = await open();
    const ends: string[] = [];
    await queue.work(
      async (key, signal) => {
        await delay(key === "short" ? 100 : 60_000, undefined, { signal }).catch(() => undefined);
        ends.push(`${key} ${signal.aborted}`);
      },
      { concurrency: 5 },
    );
    await queue.add("short");
    await queue.add("long");
    await delay(800);

    const began = Date.now();
    await queue.drain(500);

    expect(ends).toEqual(["short false", "long true"]);
    expect(Date.now() - began).toBeLessThan(3_000);
  });
});

test("a worker that is killed, and one that is frozen, are replaced within half a minute; one that wakes up hears that it lost its keys", {
  ...needs("postgres"),
  timeout: 120_000,
}, async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "log");
  writeFileSync(file, "");
  const url = await newDatabase();
  const program = join(import.meta.dirname, "../../test/fleet/queueWorker.ts");
  const start = (name: string, ms: number) => startProcess(process.execPath, [program, url, file, name, String(ms)]);
  const said = () => readFileSync(file, "utf8").split("\n").filter(Boolean);
  await using killed = start("killed", 600_000);
  await killed.until(/ready/);
  await using queue = await pgBossQueue({ url, name: "test", clock, log });
  await queue.add("a");
  await eventually("killed has a", () => said().includes("killed start a"));

  killed.kill("SIGKILL");
  await using frozen = start("frozen", 600_000);
  await frozen.until(/ready/);
  await eventually("frozen has a", () => said().includes("frozen start a"), 30_000);
  frozen.kill("SIGSTOP");
  await using last = start("last", 50);
  await last.until(/ready/);
  await eventually("last has done a", () => said().includes("last end a"), 30_000);
  frozen.kill("SIGCONT");

  await eventually("frozen is told", () => said().includes("frozen abort a"), 20_000);
});
