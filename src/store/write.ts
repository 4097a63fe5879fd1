import { orNull } from "./sessionRow.ts";
import { type Claim, type EventRow, type SessionChange, type SessionStatus, StoreError } from "./store.ts";
import { toStored } from "./storedText.ts";

/** What the holder of a claim may write, with texts as they are stored. */
export type Write = Append | Result;

export interface Append {
  readonly kind: "append";
  readonly claim: Claim;
  readonly expectedSeq: number;
  readonly events: readonly EventRow[];
  /** Null leaves the column as it is. */
  readonly change: {
    readonly status: SessionStatus | null;
    readonly messages: number | null;
    readonly verdict: string | null;
    readonly ended: string | null;
    readonly dropCancel: 0 | 1;
  };
}

export interface Result {
  readonly kind: "result";
  readonly claim: Claim;
  readonly call: number;
  readonly body: string;
}

/** Throws `too-large`, and `sequence` where the events' own numbers do not follow `expectedSeq`. */
export function toAppend(
  claim: Claim,
  expectedSeq: number,
  events: readonly EventRow[],
  { status, messages, verdict, ended, cancelRequested }: SessionChange,
): Append {
  const stray = events.find(({ seq }, index) => seq !== expectedSeq + 1 + index);
  if (stray)
    throw new StoreError(
      "sequence",
      `event ${stray.seq} of session ${claim.session} does not follow ${expectedSeq} in line`,
    );
  return {
    kind: "append",
    claim: toStoredClaim(claim),
    expectedSeq,
    events: events.map(toStoredEvent),
    change: {
      status: status ?? null,
      messages: messages ?? null,
      verdict: orNull(verdict),
      ended: orNull(ended),
      dropCancel: cancelRequested === false ? 1 : 0,
    },
  };
}

/** Throws `too-large`. */
export function toResult(claim: Claim, call: number, body: string): Result {
  return { kind: "result", claim: toStoredClaim(claim), call, body: toStored(body) };
}

export function toStoredEvent({ seq, at, body }: EventRow): EventRow {
  return { seq, at, body: toStored(body) };
}

function toStoredClaim(claim: Claim): Claim {
  return { ...claim, session: toStored(claim.session) };
}
