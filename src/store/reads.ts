import { type Kysely, sql } from "kysely";
import { fromCursor, toCursor } from "./cursor.ts";
import { fold, fromColumns } from "./sessionRow.ts";
import type { MessageRow, SessionQuery, SessionStatus, Store } from "./store.ts";
import { fromStored, toStored } from "./storedText.ts";
import type { Tables } from "./tables.ts";

export type Reads = Pick<
  Store,
  | "text"
  | "session"
  | "sessionsByPrefix"
  | "list"
  | "counts"
  | "events"
  | "result"
  | "results"
  | "messages"
  | "waiting"
  | "workers"
>;

/** Behind every text in the order of bytes, which is that of code points. */
const last = "\u{10ffff}";

/** What both databases are asked in the same words. `position` is the function that finds a text in another. */
export function reads(db: Kysely<Tables>, position: "instr" | "strpos"): Reads {
  const holds = (text: string) => sql<boolean>`${sql.raw(position)}(question_folded, ${toStored(fold(text))}) > 0`;
  return {
    async text(digest) {
      const row = await db.selectFrom("texts").select("body").where("digest", "=", toStored(digest)).executeTakeFirst();
      return row && fromStored(row.body);
    },
    async session(id) {
      const row = await db.selectFrom("sessions").selectAll().where("id", "=", toStored(id)).executeTakeFirst();
      return row && fromColumns(row);
    },
    async sessionsByPrefix(prefix, limit) {
      const start = toStored(prefix);
      const rows = await db
        .selectFrom("sessions")
        .selectAll()
        .where("id", ">=", start)
        .where("id", "<", start + last)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(fromColumns);
    },
    async list({ limit, cursor, status, workspace, text }: SessionQuery) {
      const from = cursor === undefined ? undefined : fromCursor(cursor);
      const rows = await db
        .selectFrom("sessions")
        .selectAll()
        .$if(status !== undefined, (query) => query.where("status", "=", status as SessionStatus))
        .$if(workspace !== undefined, (query) => query.where("workspace", "=", toStored(workspace as string)))
        .$if(text !== undefined, (query) => query.where(holds(text as string)))
        .$if(from !== undefined, (query) =>
          query.where(sql<boolean>`(created_at, id) < (${from?.createdAt}, ${toStored(from?.id ?? "")})`),
        )
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        // One more than asked for tells whether there is a further page.
        .limit(limit + 1)
        .execute();
      const sessions = rows.slice(0, limit).map(fromColumns);
      const end = sessions.at(-1);
      return { sessions, ...(rows.length > limit && end ? { next: toCursor(end) } : {}) };
    },
    async counts() {
      const rows = await db
        .selectFrom("sessions")
        .select(({ fn }) => ["status", fn.countAll<number>().as("sessions")])
        .groupBy("status")
        .execute();
      const count = (status: SessionStatus) => rows.find((row) => row.status === status)?.sessions ?? 0;
      return { waiting: count("waiting"), running: count("running"), ended: count("ended") };
    },
    async events(id, after, limit) {
      const rows = await db
        .selectFrom("events")
        .select(["seq", "at", "body"])
        .where("session", "=", toStored(id))
        .where("seq", ">", after)
        .orderBy("seq")
        .limit(limit)
        .execute();
      return rows.map(({ seq, at, body }) => ({ seq, at, body: fromStored(body) }));
    },
    async result(id, call) {
      const row = await db
        .selectFrom("results")
        .select("body")
        .where("session", "=", toStored(id))
        .where("call", "=", call)
        .executeTakeFirst();
      return row && fromStored(row.body);
    },
    async results(id) {
      const rows = await db
        .selectFrom("results")
        .select(["call", "body"])
        .where("session", "=", toStored(id))
        .orderBy("call")
        .execute();
      return rows.map(({ call, body }) => ({ call, body: fromStored(body) }));
    },
    async messages(id) {
      const rows = await db
        .selectFrom("messages")
        .select(["number", "id", "at", "body"])
        .where("session", "=", toStored(id))
        .orderBy("number")
        .execute();
      return rows.map(({ number, id, at, body }): MessageRow & { readonly number: number } => ({
        number,
        id: fromStored(id),
        at,
        body: fromStored(body),
      }));
    },
    async workers(aliveSince) {
      const rows = await db
        .selectFrom("workers")
        .selectAll()
        .where("alive_at", ">", aliveSince)
        .orderBy("name")
        .execute();
      return rows.map(({ name, version, alive_at: aliveAt, running, most: limit }) => ({
        name: fromStored(name),
        version: fromStored(version),
        aliveAt,
        running,
        limit,
      }));
    },
    async waiting(idleSince, limit) {
      const rows = await db
        .selectFrom("sessions")
        .selectAll()
        .where("status", "in", ["waiting", "running"])
        .where("queued", "=", 1)
        .where(sql<boolean>`(alive_at is null or alive_at <= ${idleSince})`)
        .orderBy("created_at")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(fromColumns);
    },
  };
}
