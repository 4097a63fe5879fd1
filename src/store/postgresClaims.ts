import type { Clock } from "../clock/clock.ts";
import type { PostgresDatabase } from "./postgresDatabase.ts";
import { channel } from "./postgresListener.ts";
import type { Store } from "./store.ts";
import { toStored } from "./storedText.ts";

/** Who may write to a session. */
export function postgresClaims(
  database: PostgresDatabase,
  clock: Clock,
): Pick<Store, "claim" | "heartbeat" | "release"> {
  return {
    async claim(session, owner, { onlyIdleSince } = {}) {
      const id = toStored(session);
      // Sent again after a connection broke, it finds itself.
      const [row] = await database.query<{ epoch: number; last_seq: number }>(
        `with taken as (
           update sessions set owner = $2, alive_at = $3, claim = $5, revision = revision + 1,
             epoch = case when claim = $5 then epoch else epoch + 1 end,
             status = case status when 'waiting' then 'running' else status end
           where id = $1 and ($4::bigint is null or alive_at is null or alive_at <= $4 or claim = $5)
           returning id, epoch, last_seq
         ) select epoch, last_seq, pg_notify('${channel}', id) from taken`,
        [id, toStored(owner.name), owner.at, onlyIdleSince ?? null, clock.id()],
      );
      return row && { session, epoch: row.epoch, lastSeq: row.last_seq };
    },

    async heartbeat(claims, at) {
      if (claims.length === 0) return { lost: [], cancelled: [] };
      const ids = claims.map(({ session }) => toStored(session));
      const rows = await database.beat<{ id: string; cancelled: boolean }>(
        `with held as (
           select s.id from sessions s join unnest($2::text[], $3::bigint[]) as c(id, epoch) on s.id = c.id and s.epoch = c.epoch
           where s.owner is not null order by s.id for update of s
         )
         update sessions set alive_at = greatest(coalesce(alive_at, 0), $1) from held where sessions.id = held.id
         returning sessions.id, cancel_requested_at is not null as cancelled`,
        [at, ids, claims.map(({ epoch }) => epoch)],
      );
      const cancelled = new Map(rows.map((row) => [row.id, row.cancelled]));
      const marks = claims.map(({ session }, index) => ({ session, cancelled: cancelled.get(ids[index] ?? "") }));
      return {
        lost: marks.filter((mark) => mark.cancelled === undefined).map(({ session }) => session),
        cancelled: marks.filter((mark) => mark.cancelled === true).map(({ session }) => session),
      };
    },

    async release({ session, epoch }) {
      await database.query(
        `with released as (
           update sessions set owner = null, alive_at = null, revision = revision + 1,
             status = case status when 'running' then 'waiting' else status end
           where id = $1 and epoch = $2 and owner is not null returning id
         ) select pg_notify('${channel}', id) from released`,
        [toStored(session), epoch],
      );
    },
  };
}
