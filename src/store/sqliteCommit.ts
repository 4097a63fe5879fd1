import type { Clock } from "../clock/clock.ts";
import { GroupCommit } from "./groupCommit.ts";
import { fenced, wrongSequence } from "./refusals.ts";
import type { SqliteFile } from "./sqliteFile.ts";
import type { StoreError } from "./store.ts";
import type { Watchers } from "./watchers.ts";
import type { Append, Result, Write } from "./write.ts";

/** What the methods of the store share. */
export interface SqliteContext {
  readonly file: SqliteFile;
  readonly clock: Clock;
  readonly watchers: Watchers;
  /** Aborts when the store is closed. */
  readonly closing: AbortSignal;
}

/** Writes of many claims in one transaction of the file. */
export function sqliteCommit({ file, clock, watchers, closing }: SqliteContext): GroupCommit {
  return new GroupCommit(async (writes) => {
    const refusals = await file.write(() => {
      const now = clock.now();
      return writes.map((write) => writeOne(file, write, now));
    }, closing);
    for (const [index, { kind, claim }] of writes.entries())
      if (kind === "append" && !refusals[index]) watchers.wake(claim.session);
    return refusals;
  });
}

/** Refuses what the claim may not before anything of it is written: the transaction goes on without it. */
function writeOne(file: SqliteFile, write: Write, now: number): StoreError | undefined {
  const { claim } = write;
  const row = file.get<{ epoch: number; last_seq: number }>(
    "select epoch, last_seq from sessions where id = ?",
    claim.session,
  );
  if (row?.epoch !== claim.epoch) return fenced(claim, row?.epoch);
  if (write.kind === "result") return putResult(file, write);
  if (row.last_seq !== write.expectedSeq) return wrongSequence(claim, write.expectedSeq, row.last_seq);
  return append(file, write, now);
}

function putResult(file: SqliteFile, { claim, call, body }: Result): undefined {
  file.run(
    "insert into results (session, call, body) values (?, ?, ?) on conflict do update set body = excluded.body",
    claim.session,
    call,
    body,
  );
}

function append(file: SqliteFile, { claim, expectedSeq, events, change }: Append, now: number): undefined {
  const { session, epoch } = claim;
  for (const { seq, at, body } of events)
    file.run(
      "insert into events (session, seq, epoch, at, body) values (?, ?, ?, ?, ?)",
      session,
      seq,
      epoch,
      at,
      body,
    );
  file.run(
    `update sessions set last_seq = ?1, updated_at = ?2, revision = revision + 1,
       status = case when ?3 = 'ended' and messages > ?4 then 'waiting' else coalesce(?3, status) end,
       verdict = coalesce(?5, verdict), ended = coalesce(?6, ended),
       cancel_requested_at = case ?7 when 1 then null else cancel_requested_at end
     where id = ?8`,
    expectedSeq + events.length,
    now,
    change.status,
    change.messages,
    change.verdict,
    change.ended,
    change.dropCancel,
    session,
  );
}
