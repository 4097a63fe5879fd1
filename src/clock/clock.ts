import { setTimeout as delay } from "node:timers/promises";

/** The only source of time and randomness, so that a run can be repeated. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A fresh random id: 32 lower-case hex digits. */
  id(): string;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  },
  // The global one: Node's crypto module takes longer to load than most commands need it.
  id: () => crypto.randomUUID().replaceAll("-", ""),
};
