import type { SqliteContext } from "./sqliteCommit.ts";
import type { Store } from "./store.ts";
import { toStored } from "./storedText.ts";

/** Who may write to a session. */
export function sqliteClaims({
  file,
  watchers,
  closing,
}: SqliteContext): Pick<Store, "claim" | "heartbeat" | "release"> {
  return {
    async claim(session, owner, { onlyIdleSince } = {}) {
      const id = toStored(session);
      const name = toStored(owner.name);
      const row = await file.write(
        () =>
          file.get<{ epoch: number; last_seq: number }>(
            `update sessions set epoch = epoch + 1, owner = ?1, alive_at = ?2, revision = revision + 1,
               status = case status when 'waiting' then 'running' else status end
             where id = ?3 and (?4 is null or alive_at is null or alive_at <= ?4) returning epoch, last_seq`,
            name,
            owner.at,
            id,
            onlyIdleSince ?? null,
          ),
        closing,
      );
      if (row) watchers.wake(id);
      return row && { session, epoch: row.epoch, lastSeq: row.last_seq };
    },

    async heartbeat(claims, at) {
      if (claims.length === 0) return { lost: [], cancelled: [] };
      // One statement for all of them.
      const rows = await file.write(
        () =>
          file.all<{ id: string; cancelled: number }>(
            `update sessions set alive_at = max(coalesce(alive_at, 0), ?1)
             from (select value ->> 0 as session, value ->> 1 as claimed from json_each(?2)) as claim
             where id = claim.session and epoch = claim.claimed and owner is not null
             returning id, cancel_requested_at is not null as cancelled`,
            at,
            JSON.stringify(claims.map(({ session, epoch }) => [toStored(session), epoch])),
          ),
        closing,
      );
      const cancelled = new Map(rows.map((row) => [row.id, row.cancelled === 1]));
      const marks = claims.map(({ session }) => ({ session, cancelled: cancelled.get(toStored(session)) }));
      return {
        lost: marks.filter((mark) => mark.cancelled === undefined).map(({ session }) => session),
        cancelled: marks.filter((mark) => mark.cancelled).map(({ session }) => session),
      };
    },

    async release({ session, epoch }) {
      const id = toStored(session);
      const released = await file.write(
        () =>
          file.run(
            `update sessions set owner = null, alive_at = null, revision = revision + 1,
               status = case status when 'running' then 'waiting' else status end
             where id = ? and epoch = ? and owner is not null`,
            id,
            epoch,
          ),
        closing,
      );
      if (released > 0) watchers.wake(id);
    },
  };
}
