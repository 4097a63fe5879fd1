import { type Claim, StoreError } from "./store.ts";

/** `epoch` is the session's now; undefined where there is no session any more. */
export function fenced(claim: Claim, epoch: number | undefined): StoreError {
  const why =
    epoch === undefined ? "it was removed" : `it was claimed again (claim ${epoch}, this one is ${claim.epoch})`;
  return new StoreError("fenced", `session ${claim.session} cannot be written any more: ${why}`);
}

export function wrongSequence({ session }: Claim, expected: number, last: number): StoreError {
  return new StoreError(
    "sequence",
    `expected event ${expected} to be the last of session ${session}, but it is ${last}`,
  );
}

export function noSession(id: string): StoreError {
  return new StoreError("not-found", `no session ${id}`);
}

export function closed(): StoreError {
  return new StoreError("unavailable", "the session store was closed");
}
