import type { Clock } from "../clock/clock.ts";
import type { Handler } from "./queue.ts";

/** Handlers at work, by key. */
export class HeldKeys {
  readonly #clock: Clock;
  readonly #held = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#held.size;
  }

  has(key: string): boolean {
    return this.#held.has(key);
  }

  /** Starts a handler; `after` hears how it ended, and must not throw. */
  start(key: string, handler: Handler, after: (error: unknown) => Promise<void>): void {
    const controller = new AbortController();
    const work = async () => {
      let failure: unknown;
      try {
        await handler(key, controller.signal);
      } catch (error) {
        failure = error ?? new Error("a handler rejected without a reason");
      }
      this.#held.delete(key);
      await after(failure);
    };
    const done = Promise.resolve().then(work);
    this.#held.set(key, { controller, done });
  }

  abort(key: string, reason: Error): void {
    this.#held.get(key)?.controller.abort(reason);
  }

  /** Resolves when all are done; their signals abort after `patience` ms. */
  async drain(patience: number): Promise<void> {
    const done = Promise.allSettled([...this.#held.values()].map((held) => held.done));
    const over = new AbortController();
    const late = async () => {
      // Rejects when the handlers were done in time.
      await this.#clock.sleep(patience, over.signal).catch(() => undefined);
      if (over.signal.aborted) return;
      for (const { controller } of this.#held.values()) controller.abort(new Error("this process is to stop"));
    };
    const waiting = late();
    await done;
    over.abort();
    await waiting;
  }
}
