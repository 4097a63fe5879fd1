import type { Clock } from "../clock/clock.ts";
import type { EventLog } from "./eventLog.ts";
import type { EventBody, RunEvent } from "./events.ts";
import { emptyState, fold, type RunState } from "./runState.ts";

/**
 * A run's log with the state that it adds up to. What follows from one another without a look at the world is added event by
 * event and kept in one append; nobody sees an event, and nothing acts upon the world, before the log has it.
 */
export interface Journal {
  /** With the events that were added. */
  readonly state: RunState;
  /** Numbers events and folds them into the state. They are kept with the next `flush`, all or none. */
  add(...bodies: readonly EventBody[]): void;
  /** Gives the events that were added since the last time, once the log has them. */
  flush(): Promise<readonly RunEvent[]>;
}

/** Reads what the log holds and goes on from there. */
export async function openJournal(log: EventLog, clock: Clock): Promise<Journal> {
  let state = emptyState;
  for await (const event of log.read(0)) state = fold(state, event);
  let kept = state.seq;
  let added: RunEvent[] = [];
  return {
    get state() {
      return state;
    },
    add(...bodies) {
      const at = clock.now();
      for (const body of bodies) {
        const event: RunEvent = { v: 1, seq: state.seq + 1, at, ...body };
        state = fold(state, event);
        added.push(event);
      }
    },
    async flush() {
      if (added.length === 0) return [];
      const events = added;
      added = [];
      await log.append(kept, events);
      kept += events.length;
      return events;
    },
  };
}
