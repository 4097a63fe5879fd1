import { orNull } from "./sessionRow.ts";
import {
  type Addition,
  type Claim,
  type EventRow,
  type ResultRow,
  type SessionChange,
  type SessionStatus,
  StoreError,
} from "./store.ts";
import { toStored } from "./storedText.ts";

/** What the holder of a claim appends, with texts as they are stored. */
export interface Append {
  readonly claim: Claim;
  readonly expectedSeq: number;
  readonly events: readonly EventRow[];
  readonly results: readonly ResultRow[];
  /** Absent where nothing in the session's row changes but what counts its events. */
  readonly change?: StoredChange;
}

/** Null leaves the column as it is. */
interface StoredChange {
  readonly status: SessionStatus | null;
  readonly messages: number | null;
  readonly verdict: string | null;
  readonly ended: string | null;
  readonly dropCancel: 0 | 1;
}

/** Throws `too-large`, and `sequence` where the events' own numbers do not follow `expectedSeq`. */
export function toAppend(claim: Claim, expectedSeq: number, { events, results = [], change = {} }: Addition): Append {
  const stray = events.find(({ seq }, index) => seq !== expectedSeq + 1 + index);
  if (stray)
    throw new StoreError(
      "sequence",
      `event ${stray.seq} of session ${claim.session} does not follow ${expectedSeq} in line`,
    );
  return {
    claim: { ...claim, session: toStored(claim.session) },
    expectedSeq,
    events: events.map(toStoredEvent),
    // A call that answered twice in one append: the last is kept, and each row is written once.
    results: [...new Map(results.map(({ call, body }) => [call, { call, body: toStored(body) }])).values()],
    ...(Object.keys(change).length > 0 ? { change: toStoredChange(change) } : {}),
  };
}

function toStoredChange({ status, messages, verdict, ended, cancelRequested }: SessionChange): StoredChange {
  return {
    status: status ?? null,
    messages: messages ?? null,
    verdict: orNull(verdict),
    ended: orNull(ended),
    dropCancel: cancelRequested === false ? 1 : 0,
  };
}

export function toStoredEvent({ seq, at, body }: EventRow): EventRow {
  return { seq, at, body: toStored(body) };
}
