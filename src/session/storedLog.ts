import type { EventLog } from "../agent/eventLog.ts";
import type { RunEvent } from "../agent/events.ts";
import type { Claim, EventRow, SessionChange, Store } from "../store/store.ts";

/** How many events are read at once. */
const pageOfEvents = 500;

/**
 * The event log of a claimed session. Appends reject with `StoreError` `fenced` once another has claimed it. The row of the
 * session changes with its events, so that lists need no look at them. `answered` gets the ids of the messages whose runs
 * have ended; `events` are those that the log holds already.
 */
export function storedLog(
  store: Store,
  claim: Claim,
  { answered, events: known }: { readonly answered: Set<string>; readonly events: readonly RunEvent[] },
): EventLog {
  let fresh: readonly RunEvent[] | undefined = known;
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
      await store.append(claim, expectedSeq, events.map(toRow), change);
    },
    async *read(after) {
      // They have been read when the session was taken up.
      if (fresh && after === 0) yield* fresh;
      else yield* storedEvents(store, claim.session, after);
      fresh = undefined;
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
