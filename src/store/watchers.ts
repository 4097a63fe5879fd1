import type { Clock } from "../clock/clock.ts";

interface Watcher {
  readonly id: string;
  readonly revision: number;
  readonly wake: () => void;
}

export interface Watched {
  readonly id: string;
  readonly revision: number;
  readonly wait: number;
}

/** Callers of `changed` that wait in this process. */
export class Watchers {
  readonly #clock: Clock;
  readonly #byId = new Map<string, Set<Watcher>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves once woken, when `look` gives another revision, after `wait` ms, or when the signal aborts. It listens before it
   * looks, so that nothing falls between.
   */
  async wait(
    { id, revision, wait }: Watched,
    look: () => number | undefined | Promise<number | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) return;
    const done = new AbortController();
    const woken = Promise.withResolvers<void>();
    const watcher: Watcher = { id, revision, wake: woken.resolve };
    const watchers = this.#byId.get(id) ?? new Set();
    this.#byId.set(id, watchers.add(watcher));
    try {
      if ((await look()) !== revision) return;
      const either = AbortSignal.any([signal, done.signal]);
      // Rejects when the signal aborts, or because we are done: the end of the wait either way.
      await Promise.race([woken.promise, this.#clock.sleep(wait, either).catch(() => undefined)]);
    } finally {
      done.abort();
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#byId.get(id) === watchers) this.#byId.delete(id);
    }
  }

  get ids(): readonly string[] {
    return [...this.#byId.keys()];
  }

  wake(id: string): void {
    for (const { wake } of this.#byId.get(id) ?? []) wake();
  }

  /** Wakes those that wait for another revision than the given ones, as for a session that is none of them. */
  compare(revisions: ReadonlyMap<string, number>): void {
    for (const [id, watchers] of this.#byId)
      for (const { revision, wake } of watchers) if (revisions.get(id) !== revision) wake();
  }

  wakeAll(): void {
    for (const id of this.#byId.keys()) this.wake(id);
  }
}
