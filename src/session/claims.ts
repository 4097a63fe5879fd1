import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import type { Claim, Store } from "../store/store.ts";

/** How often owners give a sign of life, and hear of cancels, ms. */
const beat = 2_000;

/** An owner without a sign of life for this long is taken for dead, ms: several beats, for a machine may be busy. */
export const deadAfter = 15_000;

/** A session that this process runs. Disposing lets go of it. */
export interface HeldClaim extends AsyncDisposable {
  readonly claim: Claim;
  /** Aborts when somebody asked for the run to end. */
  readonly cancel: AbortSignal;
  /** Aborts when another process has the session. */
  readonly lost: AbortSignal;
}

/** The claims of this process, kept alive by one statement for all of them. */
export class Claims implements AsyncDisposable {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #held = new Map<string, { claim: Claim; cancel: AbortController; lost: AbortController }>();
  readonly #stop = new AbortController();
  #beating: Promise<void> | undefined;

  constructor({ store, clock, log }: { store: Store; clock: Clock; log: Log }) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** How many sessions this process holds. */
  get size(): number {
    return this.#held.size;
  }

  hold(claim: Claim): HeldClaim {
    const entry = { claim, cancel: new AbortController(), lost: new AbortController() };
    this.#held.set(claim.session, entry);
    this.#beating ??= this.#beat();
    return {
      claim,
      cancel: entry.cancel.signal,
      lost: entry.lost.signal,
      [Symbol.asyncDispose]: async () => {
        if (this.#held.get(claim.session) === entry) this.#held.delete(claim.session);
        await this.#store.release(claim);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("no more claims"));
    await this.#beating;
  }

  async #beat(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#hear();
      // Rejects only when it is stopped, which the condition sees.
      await this.#clock.sleep(beat, this.#stop.signal).catch(() => undefined);
    }
  }

  async #hear(): Promise<void> {
    const claims = [...this.#held.values()].map(({ claim }) => claim);
    if (claims.length === 0) return;
    try {
      const { lost, cancelled } = await this.#store.heartbeat(claims, this.#clock.now());
      for (const id of lost) this.#held.get(id)?.lost.abort(new Error("another process has the session"));
      for (const id of cancelled) this.#held.get(id)?.cancel.abort(new Error("the session was cancelled"));
    } catch (error) {
      // A store that is away for a while: appends wait for it too, and fencing keeps whoever took over safe.
      this.#log.warn({ claims: claims.length }, `no sign of life could be given: ${(error as Error).message}`);
    }
  }
}
