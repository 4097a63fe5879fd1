import type { PoolClient } from "pg";
import type { Clock } from "../clock/clock.ts";
import { byDigest } from "./newTexts.ts";
import type { PostgresDatabase } from "./postgresDatabase.ts";
import { channel } from "./postgresListener.ts";
import { noSession } from "./refusals.ts";
import { fromColumns, toColumns } from "./sessionRow.ts";
import type { Store } from "./store.ts";
import { toStored } from "./storedText.ts";
import type { SessionColumns } from "./tables.ts";
import { toStoredEvent } from "./write.ts";

/** How many sessions `prune` removes in one transaction. */
const pruneAtOnce = 100;

type Sessions = Pick<
  Store,
  "putTexts" | "create" | "addMessage" | "requestCancel" | "prune" | "workerBeat" | "workerGone"
>;

/** What anybody may do with sessions, without a claim. */
export function postgresSessions(database: PostgresDatabase, clock: Clock): Sessions {
  return {
    async putTexts(texts) {
      const rows = byDigest(texts);
      await database.transact((client) => keepTexts(client, rows, clock.now()));
    },

    async create(session) {
      const row = toColumns(session);
      const texts = byDigest(session.texts);
      const events = session.events.map(toStoredEvent);
      const message = [toStored(session.message.id), session.message.at, toStored(session.message.body)];
      return await database.transact(async (client, attempt) => {
        const names = Object.keys(row);
        const marks = names.map((_, index) => `$${index + 1}`).join(", ");
        const { rowCount } = await client.query(
          `insert into sessions (${names.join(", ")}) values (${marks}) on conflict do nothing`,
          Object.values(row),
        );
        if (rowCount === 0) {
          const { rows } = await client.query<SessionColumns>(
            "select * from sessions where id = $1 or idempotency_key = $2 order by (id <> $1) limit 1",
            [row.id, row.idempotency_key],
          );
          const [known] = rows;
          if (!known) throw new Error("a session stood in the way and is gone");
          // An attempt whose connection broke was kept after all.
          return { session: fromColumns(known), created: attempt > 1 && known.id === row.id };
        }
        await keepTexts(client, texts, clock.now());
        const digests = [...new Set([...texts.keys(), row.catalog_digest, row.prompt_digest])];
        await client.query(
          "insert into session_texts (session, digest) select $1, digest from unnest($2::text[]) as digest",
          [row.id, digests],
        );
        await client.query(
          `insert into events (session, seq, epoch, at, body)
           select $1, seq, 0, at, body from unnest($2::bigint[], $3::bigint[], $4::text[]) as e(seq, at, body)`,
          [row.id, events.map(({ seq }) => seq), events.map(({ at }) => at), events.map(({ body }) => body)],
        );
        await client.query("insert into messages (session, number, id, at, body) values ($1, 1, $2, $3, $4)", [
          row.id,
          ...message,
        ]);
        return { session: fromColumns(row), created: true };
      });
    },

    async addMessage(session, { id: messageId, at, body }) {
      const id = toStored(session);
      await database.transact(async (client) => {
        // Locked first, so that numbers follow each other.
        const { rows } = await client.query<{ messages: number }>(
          "select messages from sessions where id = $1 for update",
          [id],
        );
        const [row] = rows;
        if (!row) throw noSession(session);
        const { rowCount } = await client.query(
          `insert into messages (session, number, id, at, body) values ($1, $2, $3, $4, $5)
           on conflict (session, id) do nothing`,
          [id, row.messages + 1, toStored(messageId), at, toStored(body)],
        );
        if (rowCount === 0) return;
        await client.query(
          `update sessions set messages = messages + 1, updated_at = $2, revision = revision + 1,
             status = case status when 'ended' then 'waiting' else status end where id = $1`,
          [id, clock.now()],
        );
        await client.query(`select pg_notify('${channel}', $1)`, [id]);
      });
    },

    async requestCancel(session, at) {
      const id = toStored(session);
      const rows = await database.query(
        `with known as (select id from sessions where id = $1), marked as (
           update sessions set cancel_requested_at = $2, updated_at = $3, revision = revision + 1
           where id = $1 and status <> 'ended' and cancel_requested_at is null returning id
         ) select id, (select pg_notify('${channel}', id) from marked) from known`,
        [id, at, clock.now()],
      );
      if (rows.length === 0) throw noSession(session);
    },

    async workerBeat({ name, version, aliveAt, running, limit }) {
      await database.beat(
        `insert into workers (name, version, alive_at, running, most) values ($1, $2, $3, $4, $5)
         on conflict (name) do update set version = excluded.version, alive_at = excluded.alive_at,
           running = excluded.running, most = excluded.most`,
        [toStored(name), toStored(version), aliveAt, running, limit],
      );
    },

    async workerGone(name) {
      await database.query("delete from workers where name = $1", [toStored(name)]);
    },

    async prune(before) {
      let removed = 0;
      for (let some = pruneAtOnce; some === pruneAtOnce; removed += some) {
        some = await database.again(async () => {
          const { rowCount } = await database.pool.query(
            `delete from sessions where id in (
               select id from sessions where status = 'ended' and created_at < $1 and updated_at < $1 limit $2)`,
            [before, pruneAtOnce],
          );
          return rowCount ?? 0;
        });
      }
      await database.query(
        "delete from texts where kept_at < $1 and digest not in (select digest from session_texts)",
        [before],
      );
      return removed;
    },
  };
}

/** In the order of digests, so that two that keep the same texts do not wait for each other in a circle. */
async function keepTexts(client: PoolClient, texts: ReadonlyMap<string, string>, now: number): Promise<void> {
  const rows = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
  await client.query(
    `insert into texts (digest, kept_at, body) select digest, $1, body from unnest($2::text[], $3::text[]) as t(digest, body)
     on conflict (digest) do update set kept_at = greatest(texts.kept_at, excluded.kept_at)`,
    [now, rows.map(([digest]) => digest), rows.map(([, body]) => body)],
  );
}
