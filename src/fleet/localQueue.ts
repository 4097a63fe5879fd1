import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import { HeldKeys } from "./heldKeys.ts";
import type { Handler, Queue } from "./queue.ts";

export interface LocalQueueOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Keys that other processes, or an earlier life of this one, left waiting; those held here may be among them. */
  readonly waiting: () => Promise<readonly string[]>;
}

/** How often others' keys are looked for, ms. */
const glance = 1_000;
const firstPause = 1_000;
const longestPause = 60_000;

/** A queue in this process, for a store that no second worker shares. */
export function localQueue({ clock, log, waiting }: LocalQueueOptions): Queue {
  const stop = new AbortController();
  const held = new HeldKeys(clock);
  const keys = new Set<string>();
  /** Keys whose handler rejected: when they may be tried again, and how often they were. */
  const failed = new Map<string, { readonly from: number; readonly times: number }>();
  const loops: Promise<void>[] = [];
  let pull = () => {};

  function start(handler: Handler, concurrency: number): void {
    pull = () => {
      for (const key of keys) {
        if (held.size >= concurrency || stop.signal.aborted) return;
        if (held.has(key) || (failed.get(key)?.from ?? 0) > clock.now()) continue;
        keys.delete(key);
        held.start(key, handler, async (error) => {
          if (error === undefined || stop.signal.aborted) failed.delete(key);
          else {
            const times = (failed.get(key)?.times ?? 0) + 1;
            const pause = Math.min(firstPause * 2 ** (times - 1), longestPause);
            failed.set(key, { from: clock.now() + pause, times });
            log.error({ key, times }, `failed, and is tried again: ${(error as Error).message}`);
            keys.add(key);
          }
          pull();
        });
      }
    };
  }

  async function look(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        for (const key of await waiting()) if (!held.has(key)) keys.add(key);
        pull();
      } catch (error) {
        if (!stop.signal.aborted) log.warn({}, `what waits cannot be looked for: ${(error as Error).message}`);
      }
      // Rejects when it is stopped.
      await clock.sleep(glance, stop.signal).catch(() => undefined);
    }
  }

  return {
    async add(key) {
      keys.add(key);
      pull();
    },
    async work(handler, { concurrency }) {
      start(handler, concurrency);
      loops.push(look());
    },
    async periodically(name, minutes, task) {
      const repeat = async () => {
        while (!stop.signal.aborted) {
          await clock.sleep(minutes * 60_000, stop.signal).catch(() => undefined);
          if (stop.signal.aborted) return;
          await task().catch((error: unknown) => log.warn({ task: name }, `failed: ${(error as Error).message}`));
        }
      };
      loops.push(repeat());
    },
    async drain(patience) {
      stop.abort(new Error("the queue is drained"));
      await held.drain(patience);
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the queue is closed"));
      await held.drain(0);
      await Promise.all(loops);
    },
  };
}
