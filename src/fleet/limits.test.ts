import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../test/kit/needs.ts";
import { type RunningPostgres, startPostgres } from "../../test/kit/startPostgres.ts";
import { systemClock as clock } from "../clock/clock.ts";
import { memoryLog } from "../log/log.ts";
import { fleetLimits } from "./fleetLimits.ts";
import type { LimitRule, Limits } from "./limitRules.ts";
import { localLimits } from "./localLimits.ts";

const log = memoryLog();
let postgres: RunningPostgres | undefined;
let databases = 0;
beforeAll(async () => {
  if (!needs("postgres").skip) postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
});

/** Two processes' worth of limits: the same ones twice where they are of one process. */
type Open = (rules: readonly LimitRule[]) => Promise<AsyncDisposable & { readonly both: readonly [Limits, Limits] }>;
const kinds: readonly [string, { skip: boolean }, Open][] = [
  [
    "of one process",
    { skip: false },
    async (rules) => {
      const limits = localLimits({ rules, clock });
      return { both: [limits, limits], [Symbol.asyncDispose]: async () => undefined };
    },
  ],
  [
    "of a fleet",
    needs("postgres"),
    async (rules) => {
      const url = (await postgres?.createDatabase(`limits${++databases}`)) ?? "";
      const both = [
        await fleetLimits({ url, rules, clock, log }),
        await fleetLimits({ url, rules, clock, log }),
      ] as const;
      return {
        both,
        async [Symbol.asyncDispose]() {
          for (const limits of both) await limits[Symbol.asyncDispose]();
        },
      };
    },
  ],
];

const signal = AbortSignal.timeout(60_000);

describe.each(kinds)("limits %s", (_, options, open) => {
  test("let so many work at once, and everybody in the end", options, async () => {
    await using place = await open([{ key: "server:prometheus", concurrent: 3 }]);
    let running = 0;
    let most = 0;

    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        using _room = await (place.both[index % 2] as Limits).acquire("server:prometheus", signal);
        most = Math.max(most, ++running);
        await delay(5);
        running--;
      }),
    );

    expect(most).toBe(3);
  });

  test("let so many begin in a minute, of all models of a provider together", options, async () => {
    await using place = await open([{ key: "model:anthropic", perMinute: 4 }]);
    const short = AbortSignal.timeout(1_500);

    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, async (_, index) => {
        using _room = await (place.both[index % 2] as Limits).acquire(`model:anthropic/m${index}`, short);
      }),
    );

    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
    using _free = await place.both[0].acquire("model:openai/x", signal);
  });

  test("forget whoever stopped waiting", options, async () => {
    await using place = await open([{ key: "server:loki", concurrent: 1 }]);
    const room = await place.both[0].acquire("server:loki", signal);

    const tired = place.both[0].acquire("server:loki", AbortSignal.timeout(50));
    await expect(tired).rejects.toThrow();
    const patient = place.both[1].acquire("server:loki", signal);
    room[Symbol.dispose]();

    using _room = await patient;
  });
});

test("what a dead holder held comes free by itself", { ...needs("postgres"), timeout: 60_000 }, async () => {
  const url = (await postgres?.createDatabase(`limits${++databases}`)) ?? "";
  const rules = [{ key: "server:loki", concurrent: 1 }];
  // Never renews: as one that is killed or frozen.
  const stopped = { ...clock, sleep: () => new Promise<void>(() => undefined) };
  const dead = await fleetLimits({ url, rules, clock: stopped, log });
  await dead.acquire("server:loki", signal);
  await using alive = await fleetLimits({ url, rules, clock, log });

  const began = Date.now();
  using _room = await alive.acquire("server:loki", AbortSignal.timeout(40_000));

  expect(Date.now() - began).toBeGreaterThan(5_000);
});
