import { fromCursor, toCursor } from "./cursor.ts";
import { fold, fromColumns } from "./sessionRow.ts";
import type { SessionQuery, SessionRow, SessionStatus, Store } from "./store.ts";
import { fromStored, toStored } from "./storedText.ts";
import { type SessionColumns, sessionColumns } from "./tables.ts";

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

/** Rows of one statement, whose parameters are written `$1`, `$2`... Statements are few: values are always parameters. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what its statement selects
export type Query = <Row extends object>(sql: string, values: readonly (string | number)[]) => Promise<readonly Row[]>;

/** Behind every text in the order of bytes, which is that of code points. */
const last = "\u{10ffff}";

const session = `select ${sessionColumns.join(", ")} from sessions`;

/** What both databases are asked in the same words. `position` is the function that finds a text in another. */
export function reads(query: Query, position: "instr" | "strpos"): Reads {
  const sessions = async (sql: string, values: readonly (string | number)[]): Promise<readonly SessionRow[]> =>
    (await query<SessionColumns>(`${session} ${sql}`, values)).map(fromColumns);
  const body = async (sql: string, values: readonly (string | number)[]): Promise<string | undefined> => {
    const [row] = await query<{ body: string }>(sql, values);
    return row && fromStored(row.body);
  };
  return {
    text: async (digest) => await body("select body from texts where digest = $1", [toStored(digest)]),
    session: async (id) => (await sessions("where id = $1", [toStored(id)]))[0],
    async sessionsByPrefix(prefix, limit) {
      const start = toStored(prefix);
      return await sessions("where id >= $1 and id < $2 order by id limit $3", [start, start + last, limit]);
    },
    async list({ limit, cursor, status, workspace, text }: SessionQuery) {
      const from = cursor === undefined ? undefined : fromCursor(cursor);
      const values: (string | number)[] = [];
      const value = (one: string | number) => `$${values.push(one)}`;
      const conditions = [
        ...(status === undefined ? [] : [`status = ${value(status)}`]),
        ...(workspace === undefined ? [] : [`workspace = ${value(toStored(workspace))}`]),
        ...(text === undefined ? [] : [`${position}(question_folded, ${value(toStored(fold(text)))}) > 0`]),
        ...(from ? [`(created_at, id) < (${value(from.createdAt)}, ${value(toStored(from.id))})`] : []),
      ];
      const where = conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
      // One more than asked for tells whether there is a further page.
      const rows = await sessions(`${where} order by created_at desc, id desc limit ${value(limit + 1)}`, values);
      const page = rows.slice(0, limit);
      const end = page.at(-1);
      return { sessions: page, ...(rows.length > limit && end ? { next: toCursor(end) } : {}) };
    },
    async counts() {
      const rows = await query<{ status: SessionStatus; sessions: number }>(
        "select status, count(*) as sessions from sessions group by status",
        [],
      );
      const count = (status: SessionStatus) => rows.find((row) => row.status === status)?.sessions ?? 0;
      return { waiting: count("waiting"), running: count("running"), ended: count("ended") };
    },
    async events(id, after, limit) {
      const rows = await query<{ seq: number; at: number; body: string }>(
        "select seq, at, body from events where session = $1 and seq > $2 order by seq limit $3",
        [toStored(id), after, limit],
      );
      return rows.map((row) => ({ seq: row.seq, at: row.at, body: fromStored(row.body) }));
    },
    result: async (id, call) =>
      await body("select body from results where session = $1 and call = $2", [toStored(id), call]),
    async results(id) {
      const rows = await query<{ call: number; body: string }>(
        "select call, body from results where session = $1 order by call",
        [toStored(id)],
      );
      return rows.map((row) => ({ call: row.call, body: fromStored(row.body) }));
    },
    async messages(id) {
      const rows = await query<{ number: number; id: string; at: number; body: string }>(
        "select number, id, at, body from messages where session = $1 order by number",
        [toStored(id)],
      );
      return rows.map((row) => ({
        number: row.number,
        id: fromStored(row.id),
        at: row.at,
        body: fromStored(row.body),
      }));
    },
    async workers(aliveSince) {
      const rows = await query<{ name: string; version: string; aliveAt: number; running: number; limit: number }>(
        `select name, version, alive_at as "aliveAt", running, most as "limit" from workers
         where alive_at > $1 order by name`,
        [aliveSince],
      );
      return rows.map((row) => ({ ...row, name: fromStored(row.name), version: fromStored(row.version) }));
    },
    waiting: async (idleSince, limit) =>
      await sessions(
        `where status in ('waiting', 'running') and queued = 1 and (alive_at is null or alive_at <= $1)
         order by created_at, id limit $2`,
        [idleSince, limit],
      ),
  };
}
