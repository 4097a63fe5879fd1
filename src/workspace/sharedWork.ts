/** The work; it calls `begin` when the thing starts of which callers want one that started after they asked. */
export type Work = (signal: AbortSignal, begin: () => void) => Promise<void>;

interface Flight {
  readonly controller: AbortController;
  readonly done: Promise<void>;
  begun: boolean;
  waiting: number;
}

/**
 * Callers at the same time share one run of `work`, which began after each of them asked. It is aborted when the last of
 * those who wait for it has left.
 */
export class SharedWork {
  readonly #work: Work;
  #running: Flight | undefined;
  #next: Flight | undefined;

  constructor(work: Work) {
    this.#work = work;
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const flight = this.#join();
    flight.waiting++;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([flight.done, left]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      flight.waiting--;
      if (flight.waiting === 0) this.#abandon(flight);
    }
  }

  #join(): Flight {
    if (this.#running === undefined) return (this.#running = this.#fly(Promise.resolve()));
    if (!this.#running.begun) return this.#running;
    return (this.#next ??= this.#fly(this.#running.done.catch(() => undefined)));
  }

  #fly(before: Promise<void>): Flight {
    const controller = new AbortController();
    const start = { controller, begun: false, waiting: 0 };
    const done = (async () => {
      await before;
      try {
        controller.signal.throwIfAborted();
        await this.#work(controller.signal, () => {
          start.begun = true;
        });
      } finally {
        this.#land(controller);
      }
    })();
    const flight: Flight = Object.assign(start, { done });
    // Whoever waits hears of a failure; when all have left, nobody needs to.
    flight.done.catch(() => undefined);
    return flight;
  }

  #land(controller: AbortController): void {
    if (this.#running?.controller !== controller) return;
    this.#running = this.#next;
    this.#next = undefined;
  }

  #abandon(flight: Flight): void {
    // Nobody may join what is being aborted.
    flight.begun = true;
    if (this.#next === flight) this.#next = undefined;
    flight.controller.abort(new Error("nobody waits for it any more"));
  }
}
