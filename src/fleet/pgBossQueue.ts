import { type Job, PgBoss } from "pg-boss";
import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import { HeldKeys } from "./heldKeys.ts";
import { type Handler, type Queue, QueueError } from "./queue.ts";

export interface PgBossQueueOptions {
  readonly url: string;
  /** Of the queue, among others in the same database. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** pg-boss's own tables. */
const schema = "korvus_queue";

/** A worker that gives no sign of life for this long is dead, s: the least that pg-boss allows. */
const heartbeatSeconds = 10;
/** How often dead workers are looked for, s; both intervals count, and with their defaults it takes over a minute. */
const lookSeconds = 2;
/** Between two signs of life, ms. */
const beat = 3_000;
/** Between two looks for work while there is room, ms: delivery takes half of it on average. */
const shortestPoll = 100;
const longestPoll = 500;
/** As long as pg-boss allows: a key is held as long as its worker lives. */
const expireInSeconds = 24 * 3600;

interface Held {
  readonly key: string;
  readonly job: Job<{ key: string }>;
}

/**
 * A queue on PostgreSQL. Each key is a job of pg-boss, at most one waiting and one active: `stately`. Jobs are fetched in
 * batches by one loop, and one statement gives the sign of life of all of them.
 */
export async function pgBossQueue({ url, name, clock, log }: PgBossQueueOptions): Promise<Queue> {
  const boss = new PgBoss({
    connectionString: url,
    schema,
    application_name: "korvus queue",
    max: 4,
    superviseIntervalSeconds: lookSeconds,
    monitorIntervalSeconds: lookSeconds,
    cronWorkerIntervalSeconds: 30,
  });
  let said = "";
  boss.on("error", (error: Error) => {
    // It says the same again and again while PostgreSQL is away.
    if (said !== error.message) log.warn({ queue: name }, `queue: ${error.message}`);
    said = error.message;
  });
  try {
    await boss.start();
    await boss.createQueue(name, {
      policy: "stately",
      heartbeatSeconds,
      expireInSeconds,
      // Practically for ever: a session has to end, whatever dies on the way.
      retryLimit: 1_000_000,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 30,
      retentionSeconds: 30 * 24 * 3600,
      deleteAfterSeconds: 3600,
    });
  } catch (cause) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw new QueueError(`the queue on PostgreSQL cannot be opened: ${(cause as Error).message}`, { cause });
  }
  return new BossQueue(boss, { name, clock, log });
}

class BossQueue implements Queue {
  readonly #boss: PgBoss;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stop = new AbortController();
  readonly #end = new AbortController();
  readonly #handlers: HeldKeys;
  readonly #held = new Map<string, Held>();
  #loops: readonly Promise<void>[] = [];
  #wake = () => {};

  constructor(boss: PgBoss, { name, clock, log }: Omit<PgBossQueueOptions, "url">) {
    this.#boss = boss;
    this.#name = name;
    this.#clock = clock;
    this.#log = log;
    this.#handlers = new HeldKeys(clock);
  }

  async add(key: string): Promise<void> {
    // Null when it waits already.
    await this.#boss.send(this.#name, { key }, { singletonKey: key });
    this.#wake();
  }

  async work(handler: Handler, { concurrency }: { readonly concurrency: number }): Promise<void> {
    this.#loops = [this.#pull(handler, concurrency), this.#beat()];
  }

  async periodically(name: string, minutes: number, task: () => Promise<void>): Promise<void> {
    const queue = `${this.#name}.${name}`;
    await this.#boss.createQueue(queue, { policy: "exclusive", retryLimit: 0, deleteAfterSeconds: 3600 });
    await this.#boss.schedule(queue, `*/${minutes} * * * *`);
    await this.#boss.work(queue, { pollingIntervalSeconds: 30 }, async () => {
      await task();
    });
  }

  async drain(patience: number): Promise<void> {
    this.#stop.abort(new Error("the queue is drained"));
    this.#wake();
    await this.#handlers.drain(patience);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
    this.#end.abort(new Error("the queue is closed"));
    await Promise.all(this.#loops);
    await this.#boss.stop({ graceful: false });
  }

  /** Takes as many keys as there is room for, again and again. */
  async #pull(handler: Handler, concurrency: number): Promise<void> {
    let pause = shortestPoll;
    while (!this.#stop.signal.aborted) {
      const room = concurrency - this.#handlers.size;
      const jobs = room > 0 ? await this.#fetch(room) : [];
      for (const job of jobs) this.#take(job, handler);
      pause = jobs.length > 0 ? shortestPoll : Math.min(pause * 2, longestPoll);
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      const sleep = new AbortController();
      const stopped = AbortSignal.any([this.#stop.signal, sleep.signal]);
      await Promise.race([woken.promise, this.#clock.sleep(pause, stopped).catch(() => undefined)]);
      sleep.abort();
    }
  }

  async #fetch(batchSize: number): Promise<readonly Job<{ key: string }>[]> {
    try {
      return await this.#boss.fetch<{ key: string }>(this.#name, { batchSize });
    } catch (error) {
      this.#log.debug({ queue: this.#name }, `nothing can be fetched: ${(error as Error).message}`);
      return [];
    }
  }

  #take(job: Job<{ key: string }>, handler: Handler): void {
    const { key } = job.data;
    // One that we held and lost, and whose handler has not noticed: another will have it, or we in a moment.
    if (this.#handlers.has(key)) return void this.#settle(job, new Error("its handler is still leaving"));
    this.#held.set(key, { key, job });
    this.#handlers.start(key, handler, async (error) => {
      if (this.#held.get(key)?.job === job) this.#held.delete(key);
      const left = error === undefined && this.#stop.signal.aborted;
      await this.#settle(job, left ? new Error("its process is to stop") : error);
      this.#wake();
    });
  }

  /** Tells pg-boss how it ended; where PostgreSQL is away for good, the missing sign of life tells it. */
  async #settle(job: Job<{ key: string }>, error: unknown): Promise<void> {
    if (error !== undefined && !this.#stop.signal.aborted)
      this.#log.error({ key: job.data.key }, `failed, and is tried again: ${(error as Error).message}`);
    for (let attempt = 1; attempt <= 20; attempt++) {
      try {
        if (error === undefined) await this.#boss.complete(this.#name, [job]);
        else await this.#boss.fail(this.#name, [job], { message: (error as Error).message });
        return;
      } catch {
        // Away for a moment. Rejects when the queue is closed: then it is given up.
        await this.#clock.sleep(500, this.#end.signal).catch(() => undefined);
        if (this.#end.signal.aborted) return;
      }
    }
  }

  async #beat(): Promise<void> {
    while (!this.#end.signal.aborted) {
      await this.#clock.sleep(beat, this.#end.signal).catch(() => undefined);
      const held = [...this.#held.values()];
      if (held.length === 0 || this.#end.signal.aborted) continue;
      try {
        const { settled } = (await this.#boss.touch(
          this.#name,
          held.map(({ job }) => job),
        )) as { settled?: readonly string[] };
        if (!settled) continue;
        const alive = new Set(settled);
        for (const { key, job } of held)
          if (!alive.has(job.id) && this.#held.get(key)?.job === job)
            this.#handlers.abort(key, new Error("another process has it"));
      } catch (error) {
        this.#log.debug({ queue: this.#name }, `no sign of life could be given: ${(error as Error).message}`);
      }
    }
  }
}
