import type { EventLog } from "../agent/eventLog.ts";
import type { RunEvent } from "../agent/events.ts";
import type { Claim, EventRow, SessionChange, Store } from "../store/store.ts";
import type { StoredResults } from "./storedResults.ts";

/** How many events are read at once. */
const pageOfEvents = 500;

export interface LogParts {
  /** Ids of the messages whose runs have ended; whoever drives the log adds to it. */
  readonly answered: ReadonlySet<string>;
  /** What the log holds already. */
  readonly events: readonly RunEvent[];
  /** They are kept together with the events that tell of them. */
  readonly results: Pick<StoredResults, "take">;
}

/**
 * The event log of a claimed session. Appends reject with `StoreError` `fenced` once another has claimed it. The row of the
 * session changes with its events, so that lists need no look at them.
 */
export function storedLog(store: Store, claim: Claim, { answered, events: known, results }: LogParts): EventLog {
  let unread: readonly RunEvent[] | undefined = known;
  return {
    async append(expectedSeq, events) {
      let change: SessionChange = {};
      for (const event of events) {
        if (event.type === "run.started") change = { ...change, status: "running" };
        if (event.type === "report") change = { ...change, verdict: event.report.verdict };
        if (event.type === "run.ended") {
          const messages = await store.messages(claim.session);
          // One of them is answered by this very event.
          const last = messages.filter(({ id }) => !answered.has(id)).length <= 1;
          const end = { status: "ended", messages: messages.length } as const;
          change = { ...change, ...(last ? end : {}), ended: event.reason, cancelRequested: false };
        }
      }
      await store.append(claim, expectedSeq, { events: events.map(toRow), results: results.take(), change });
    },
    async *read(after) {
      // They have been read when the session was taken up.
      if (unread && after === 0) yield* unread;
      else yield* storedEvents(store, claim.session, after);
      unread = undefined;
    },
  };
}

/** The events of a session after number `after`, as they are now. */
export async function* storedEvents(
  store: Pick<Store, "events">,
  session: string,
  after: number,
): AsyncGenerator<RunEvent, void> {
  for (let last = after; ; ) {
    const rows = await store.events(session, last, pageOfEvents);
    for (const row of rows) yield fromRow(row);
    if (rows.length < pageOfEvents) return;
    last = rows.at(-1)?.seq ?? last;
  }
}

export function toRow({ seq, at, ...body }: RunEvent): EventRow {
  return { seq, at, body: JSON.stringify(body) };
}

function fromRow({ seq, at, body }: EventRow): RunEvent {
  return { ...(JSON.parse(body) as Omit<RunEvent, "seq" | "at">), seq, at } as RunEvent;
}
