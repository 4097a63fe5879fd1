import type { Clock } from "../clock/clock.ts";
import { GroupCommit } from "./groupCommit.ts";
import { fenced, wrongSequence } from "./refusals.ts";
import type { SqliteFile } from "./sqliteFile.ts";
import type { StoreError } from "./store.ts";
import type { Watchers } from "./watchers.ts";
import type { Append } from "./write.ts";

/** What the methods of the store share. */
export interface SqliteContext {
  readonly file: SqliteFile;
  readonly clock: Clock;
  readonly watchers: Watchers;
  /** Aborts when the store is closed. */
  readonly closing: AbortSignal;
}

/** Appends of many claims in one transaction of the file. */
export function sqliteCommit({ file, clock, watchers, closing }: SqliteContext): GroupCommit {
  return new GroupCommit(async (appends) => {
    const refusals = await file.write(() => {
      const now = clock.now();
      return appends.map((append) => writeOne(file, append, now));
    }, closing);
    for (const [index, { claim }] of appends.entries()) if (!refusals[index]) watchers.wake(claim.session);
    return refusals;
  });
}

/** Refuses what the claim may not before anything of it is written: the transaction goes on without it. */
function writeOne(file: SqliteFile, append: Append, now: number): StoreError | undefined {
  const { claim, expectedSeq } = append;
  const row = file.get<{ epoch: number; last_seq: number }>(
    "select epoch, last_seq from sessions where id = ?",
    claim.session,
  );
  if (row?.epoch !== claim.epoch) return fenced(claim, row?.epoch);
  if (row.last_seq !== expectedSeq) return wrongSequence(claim, expectedSeq, row.last_seq);
  write(file, append, now);
  return undefined;
}

function write(file: SqliteFile, { claim, expectedSeq, events, results, change }: Append, now: number): void {
  const { session, epoch } = claim;
  for (const { call, body } of results)
    file.run(
      "insert into results (session, call, body) values (?, ?, ?) on conflict do update set body = excluded.body",
      session,
      call,
      body,
    );
  for (const { seq, at, body } of events)
    file.run(
      "insert into events (session, seq, epoch, at, body) values (?, ?, ?, ?, ?)",
      session,
      seq,
      epoch,
      at,
      body,
    );
  const lastSeq = expectedSeq + events.length;
  // Most of them: a statement that may set the status writes its index anew, whatever it was before.
  if (!change) {
    file.run(
      "update sessions set last_seq = ?, updated_at = ?, revision = revision + 1 where id = ?",
      lastSeq,
      now,
      session,
    );
    return;
  }
  file.run(
    `update sessions set last_seq = ?1, updated_at = ?2, revision = revision + 1,
       status = case when ?3 = 'ended' and messages > ?4 then 'waiting' else coalesce(?3, status) end,
       verdict = coalesce(?5, verdict), ended = coalesce(?6, ended),
       cancel_requested_at = case ?7 when 1 then null else cancel_requested_at end
     where id = ?8`,
    lastSeq,
    now,
    change.status,
    change.messages,
    change.verdict,
    change.ended,
    change.dropCancel,
    session,
  );
}
