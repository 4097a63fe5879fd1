import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { POOL_SIZE, type Pool } from "./pool.ts";
import type { Random } from "./random.ts";

const faultSchema = z.discriminatedUnion("kind", [
  /** Milliseconds that every request waits on top, outside the connection pool. */
  z.strictObject({ kind: z.literal("latency"), amount: z.number().min(0).max(10_000) }),
  /** Share of requests that fail, 0 to 1. */
  z.strictObject({ kind: z.literal("errors"), amount: z.number().min(0).max(1) }),
  /** MiB leaked a second, until `LEAK_LIMIT` is reached. */
  z.strictObject({ kind: z.literal("memory"), amount: z.number().min(0).max(50) }),
  /** Connections that somebody holds and does not give back; with all of them held, every request times out. */
  z.strictObject({ kind: z.literal("pool"), amount: z.int().min(0).max(POOL_SIZE) }),
]);

export type Fault = z.infer<typeof faultSchema>;

const LEAK_LIMIT = 256;
const LEAKS_A_SECOND = 5;

/** The fault switch of one service. One fault of each kind can be on at a time. */
export interface FaultSwitch {
  /** Throws when `json` is not a fault. */
  set(json: unknown): void;
  clear(): void;
  /** What a request suffers: waits, or throws. */
  suffer(): Promise<void>;
}

export function faultSwitch(pool: Pool, random: Random): FaultSwitch {
  const active = new Map<Fault["kind"], number>();
  const leaked: Buffer[] = [];

  setInterval(() => {
    const bytes = ((active.get("memory") ?? 0) / LEAKS_A_SECOND) * 2 ** 20;
    const full = leaked.reduce((sum, { length }) => sum + length, 0) > LEAK_LIMIT * 2 ** 20;
    // Filled, because untouched pages cost no memory.
    if (bytes > 0 && !full) leaked.push(Buffer.alloc(Math.ceil(bytes), 1));
  }, 1000 / LEAKS_A_SECOND);

  return {
    set(json) {
      const { kind, amount } = faultSchema.parse(json);
      active.set(kind, amount);
      if (kind === "pool") pool.hold(amount);
    },
    clear() {
      active.clear();
      leaked.length = 0;
      pool.hold(0);
    },
    async suffer() {
      const latency = active.get("latency") ?? 0;
      // A tenth up or down, so that quantiles do not collapse into one value.
      if (latency > 0) await delay(latency * (0.9 + 0.2 * random.next()));
      if (random.next() < (active.get("errors") ?? 0)) throw new Error("upstream processor answered 503");
    },
  };
}
