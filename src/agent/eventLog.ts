import type { RunEvent } from "./events.ts";

/** Appends in order, or fails. The only memory of a run. */
export interface EventLog {
  /** Rejects, and keeps nothing, unless the last event's number is `expectedSeq`. */
  append(expectedSeq: number, events: readonly RunEvent[]): Promise<void>;
  /** The events after number `after`, in order. */
  read(after: number): AsyncIterable<RunEvent>;
}

/** An `EventLog` in this process only, starting from `events`. */
export function memoryEventLog(events: readonly RunEvent[] = []): EventLog & { readonly events: readonly RunEvent[] } {
  const kept = [...events];
  return {
    events: kept,
    async append(expectedSeq, added) {
      const last = kept.at(-1)?.seq ?? 0;
      if (last !== expectedSeq)
        throw new Error(`expected event ${expectedSeq} to be the last of the run, but it is ${last}`);
      kept.push(...added);
    },
    async *read(after) {
      yield* kept.slice(after);
    },
  };
}
