import type { Clock } from "../clock/clock.ts";
import type { EventLog } from "./eventLog.ts";
import type { EventBody, RunEvent } from "./events.ts";
import { emptyState, fold, type RunState } from "./runState.ts";

/** A run's log with the state that it adds up to. */
export interface Journal {
  readonly state: RunState;
  /** Numbers and appends; the state includes the events once the log has taken them. */
  append(...bodies: readonly EventBody[]): Promise<readonly RunEvent[]>;
}

/** Reads what the log holds and goes on from there. */
export async function openJournal(log: EventLog, clock: Clock): Promise<Journal> {
  let state = emptyState;
  for await (const event of log.read(0)) state = fold(state, event);
  return {
    get state() {
      return state;
    },
    async append(...bodies) {
      if (bodies.length === 0) return [];
      const at = clock.now();
      const events = bodies.map((body, index): RunEvent => ({ v: 1, seq: state.seq + 1 + index, at, ...body }));
      await log.append(state.seq, events);
      state = events.reduce(fold, state);
      return events;
    },
  };
}
