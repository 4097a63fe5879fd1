import type { PoolClient } from "pg";
import type { Clock } from "../clock/clock.ts";
import { GroupCommit } from "./groupCommit.ts";
import type { PostgresDatabase } from "./postgresDatabase.ts";
import { channel } from "./postgresListener.ts";
import { fenced, wrongSequence } from "./refusals.ts";
import type { StoreError } from "./store.ts";
import type { Append } from "./write.ts";

interface SessionHead {
  readonly id: string;
  readonly epoch: number;
  readonly last_seq: number;
}

/** Appends of many claims in one transaction: a statement for each kind of row, however many there are. */
export function postgresCommit(database: PostgresDatabase, clock: Clock): GroupCommit {
  return new GroupCommit((appends) =>
    database.transact(async (client, attempt) => {
      const heads = await lockSessions(
        client,
        appends.map(({ claim }) => claim.session),
      );
      const kept = attempt === 1 ? new Set<Append>() : await keptBefore(client, appends);
      const refusals = appends.map((append) => (kept.has(append) ? undefined : refusal(append, heads)));
      const good = appends.filter((append, index) => !refusals[index] && !kept.has(append));
      if (good.length > 0) await appendAll(client, good, clock.now());
      return refusals;
    }),
  );
}

/** In the order of ids: whoever locks several does it in the same order, and nobody waits in a circle. */
async function lockSessions(client: PoolClient, ids: readonly string[]): Promise<ReadonlyMap<string, SessionHead>> {
  const text = "select id, epoch, last_seq from sessions where id = any($1) order by id for update";
  const { rows } = await client.query<SessionHead>({ name: "lock-sessions", text, values: [ids] });
  return new Map(rows.map((row) => [row.id, row]));
}

function refusal({ claim, expectedSeq }: Append, heads: ReadonlyMap<string, SessionHead>): StoreError | undefined {
  const head = heads.get(claim.session);
  if (head?.epoch !== claim.epoch) return fenced(claim, head?.epoch);
  return head.last_seq === expectedSeq ? undefined : wrongSequence(claim, expectedSeq, head.last_seq);
}

/** The connection broke in an earlier attempt, perhaps after the commit: what stands there, word for word, was kept. */
async function keptBefore(client: PoolClient, all: readonly Append[]): Promise<ReadonlySet<Append>> {
  const appends = all.filter(({ events }) => events.length > 0);
  const lasts = appends.map(({ events }) => events.at(-1) as Append["events"][number]);
  const { rows } = await client.query<{ session: string; epoch: number; body: string; seq: number }>(
    `select e.session, e.seq, e.epoch, e.body from events e
     join unnest($1::text[], $2::bigint[]) as wanted(session, seq) on e.session = wanted.session and e.seq = wanted.seq`,
    [appends.map(({ claim }) => claim.session), lasts.map(({ seq }) => seq)],
  );
  const found = new Map(rows.map((row) => [row.session, row]));
  return new Set(
    appends.filter(({ claim }, index) => {
      const [row, last] = [found.get(claim.session), lasts[index]];
      return row !== undefined && row.epoch === claim.epoch && row.seq === last?.seq && row.body === last.body;
    }),
  );
}

async function putResults(client: PoolClient, appends: readonly Append[]): Promise<void> {
  const rows = appends.flatMap(({ claim, results }) => results.map((result) => ({ claim, result })));
  if (rows.length === 0) return;
  const text = `insert into results (session, call, body) select * from unnest($1::text[], $2::bigint[], $3::text[])
    on conflict (session, call) do update set body = excluded.body`;
  const columns = [
    rows.map(({ claim }) => claim.session),
    rows.map(({ result }) => result.call),
    rows.map(({ result }) => result.body),
  ];
  await client.query({ name: "put-results", text, values: columns });
}

async function appendAll(client: PoolClient, appends: readonly Append[], now: number): Promise<void> {
  await putResults(client, appends);
  const events = appends.flatMap(({ claim, events }) => events.map((event) => ({ claim, event })));
  if (events.length > 0) {
    const text = `insert into events (session, seq, epoch, at, body)
      select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])`;
    const columns = [
      events.map(({ claim }) => claim.session),
      events.map(({ event }) => event.seq),
      events.map(({ claim }) => claim.epoch),
      events.map(({ event }) => event.at),
      events.map(({ event }) => event.body),
    ];
    await client.query({ name: "append-events", text, values: columns });
  }
  const sessions = appends.map(({ claim }) => claim.session);
  const values = [
    now,
    sessions,
    appends.map(({ expectedSeq, events: added }) => expectedSeq + added.length),
    appends.map(({ change }) => change?.status ?? null),
    appends.map(({ change }) => change?.messages ?? null),
    appends.map(({ change }) => change?.verdict ?? null),
    appends.map(({ change }) => change?.ended ?? null),
    appends.map(({ change }) => change?.dropCancel ?? 0),
  ];
  await client.query({ name: "change-sessions", text: changeSessions, values });
  await client.query({
    name: "tell",
    text: `select pg_notify('${channel}', id) from unnest($1::text[]) as id`,
    values: [sessions],
  });
}

const changeSessions = `
  update sessions s set last_seq = w.last_seq, updated_at = $1, revision = revision + 1,
    status = case when w.status = 'ended' and s.messages > w.messages then 'waiting' else coalesce(w.status, s.status) end,
    verdict = coalesce(w.verdict, s.verdict), ended = coalesce(w.ended, s.ended),
    cancel_requested_at = case w.drop_cancel when 1 then null else s.cancel_requested_at end
  from unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::bigint[])
    as w(id, last_seq, status, messages, verdict, ended, drop_cancel)
  where s.id = w.id`;
