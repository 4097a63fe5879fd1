import type { Config } from "../config/config.ts";
import type { Queue } from "../fleet/queue.ts";
import { deadAfter } from "../session/claims.ts";
import type { Worker } from "../session/worker.ts";
import type { Grounds } from "./grounds.ts";
import { version } from "./version.ts";

/** How often a worker says that it is there, ms. */
const beat = 5_000;
/** How often sessions are looked for that wait without a word in the queue, ms. */
const sweep = 30_000;
const day = 24 * 3_600_000;

export interface HousekeepingParts {
  readonly queue: Queue;
  readonly grounds: Grounds;
  readonly config: Config;
  readonly worker: Worker;
}

/**
 * What goes on beside the sessions: the worker's sign of life; sessions that nobody has are queued again, should a word
 * of the queue have been lost; those past their time are removed, by one process of all. Disposing ends it.
 */
export async function housekeeping({ queue, grounds, config, worker }: HousekeepingParts): Promise<AsyncDisposable> {
  const { store, clock, log, owner } = grounds;
  const stop = new AbortController();
  const say = () =>
    store.workerBeat({
      name: owner,
      version,
      aliveAt: clock.now(),
      running: worker.running,
      limit: config.limits.sessions,
    });
  await say();

  const every = async (pause: number, task: () => Promise<void>) => {
    while (!stop.signal.aborted) {
      await clock.sleep(pause, stop.signal).catch(() => undefined);
      if (stop.signal.aborted) return;
      await task().catch((error: unknown) => log.warn({}, `housekeeping: ${(error as Error).message}`));
    }
  };
  const loops = [
    every(beat, say),
    every(sweep, async () => {
      for (const { id } of await store.waiting(clock.now() - 2 * deadAfter, 500)) await queue.add(id);
    }),
  ];
  const { retentionDays } = config.store;
  if (retentionDays !== undefined) {
    await queue.periodically("retention", 15, async () => {
      const removed = await store.prune(clock.now() - retentionDays * day);
      if (removed > 0) log.info({ removed, days: retentionDays }, "sessions past their time are removed");
    });
  }
  return {
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the service stops"));
      await Promise.all(loops);
      await store.workerGone(owner).catch(() => undefined);
    },
  };
}
