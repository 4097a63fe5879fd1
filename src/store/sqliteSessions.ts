import { byDigest } from "./newTexts.ts";
import { noSession } from "./refusals.ts";
import { fromColumns, toColumns } from "./sessionRow.ts";
import type { SqliteContext } from "./sqliteCommit.ts";
import type { SqliteFile } from "./sqliteFile.ts";
import type { Store } from "./store.ts";
import { toStored } from "./storedText.ts";
import type { SessionColumns } from "./tables.ts";
import { toStoredEvent } from "./write.ts";

/** How many sessions `prune` removes in one transaction, so that others get their turn. */
const pruneAtOnce = 100;

type Sessions = Pick<
  Store,
  "putTexts" | "create" | "addMessage" | "requestCancel" | "prune" | "workerBeat" | "workerGone"
>;

/** What anybody may do with sessions, without a claim. */
export function sqliteSessions({ file, clock, watchers, closing }: SqliteContext): Sessions {
  return {
    async putTexts(texts) {
      const rows = byDigest(texts);
      await file.write(() => keepTexts(file, rows, clock.now()), closing);
    },

    async create(session) {
      const row = toColumns(session);
      const texts = byDigest(session.texts);
      const events = session.events.map(toStoredEvent);
      const message = [toStored(session.message.id), session.message.at, toStored(session.message.body)] as const;
      return await file.write(() => {
        const known = file.get<SessionColumns>(
          "select * from sessions where id = ?1 or idempotency_key = ?2 order by idempotency_key is not ?2 limit 1",
          row.id,
          row.idempotency_key,
        );
        if (known) return { session: fromColumns(known), created: false };
        const names = Object.keys(row);
        const marks = names.map(() => "?").join(", ");
        file.run(`insert into sessions (${names.join(", ")}) values (${marks})`, ...Object.values(row));
        keepTexts(file, texts, clock.now());
        for (const digest of new Set([...texts.keys(), row.catalog_digest, row.prompt_digest]))
          file.run("insert into session_texts (session, digest) values (?, ?)", row.id, digest);
        for (const { seq, at, body } of events)
          file.run("insert into events (session, seq, epoch, at, body) values (?, ?, 0, ?, ?)", row.id, seq, at, body);
        file.run("insert into messages (session, number, id, at, body) values (?, 1, ?, ?, ?)", row.id, ...message);
        return { session: fromColumns(row), created: true };
      }, closing);
    },

    async addMessage(session, { id: messageId, at, body }) {
      const id = toStored(session);
      const message = [toStored(messageId), at, toStored(body)] as const;
      await file.write(() => {
        const row = file.get<{ messages: number }>("select messages from sessions where id = ?", id);
        if (!row) throw noSession(session);
        const added = file.run(
          "insert into messages (session, number, id, at, body) values (?, ?, ?, ?, ?) on conflict (session, id) do nothing",
          id,
          row.messages + 1,
          ...message,
        );
        if (added === 0) return;
        file.run(
          `update sessions set messages = messages + 1, updated_at = ?, revision = revision + 1,
             status = case status when 'ended' then 'waiting' else status end where id = ?`,
          clock.now(),
          id,
        );
      }, closing);
      watchers.wake(id);
    },

    async requestCancel(session, at) {
      const id = toStored(session);
      await file.write(() => {
        if (!file.get("select 1 from sessions where id = ?", id)) throw noSession(session);
        file.run(
          `update sessions set cancel_requested_at = ?, updated_at = ?, revision = revision + 1
           where id = ? and status <> 'ended' and cancel_requested_at is null`,
          at,
          clock.now(),
          id,
        );
      }, closing);
      watchers.wake(id);
    },

    async workerBeat({ name, version, aliveAt, running, limit }) {
      const row = [toStored(name), toStored(version), aliveAt, running, limit];
      const text = `insert into workers (name, version, alive_at, running, most) values (?, ?, ?, ?, ?)
        on conflict (name) do update set version = excluded.version, alive_at = excluded.alive_at,
          running = excluded.running, most = excluded.most`;
      await file.write(() => file.run(text, ...row), closing);
    },

    async workerGone(name) {
      await file.write(() => file.run("delete from workers where name = ?", toStored(name)), closing);
    },

    async prune(before) {
      let removed = 0;
      for (let some = pruneAtOnce; some === pruneAtOnce; removed += some) {
        const ended = `select id from sessions where status = 'ended' and created_at < ?1 and updated_at < ?1 limit ?2`;
        some = await file.write(
          () => file.run(`delete from sessions where id in (${ended})`, before, pruneAtOnce),
          closing,
        );
      }
      const unused = "delete from texts where kept_at < ? and digest not in (select digest from session_texts)";
      await file.write(() => file.run(unused, before), closing);
      return removed;
    },
  };
}

function keepTexts(file: SqliteFile, texts: ReadonlyMap<string, string>, now: number): void {
  for (const [digest, body] of texts)
    file.run(
      `insert into texts (digest, kept_at, body) values (?, ?, ?)
       on conflict (digest) do update set kept_at = excluded.kept_at`,
      digest,
      now,
      body,
    );
}
