import { postgresClaims } from "./postgresClaims.ts";
import { postgresCommit } from "./postgresCommit.ts";
import { PostgresDatabase, type PostgresOptions, schema } from "./postgresDatabase.ts";
import { postgresFailure } from "./postgresFailure.ts";
import { PostgresListener } from "./postgresListener.ts";
import { migratePostgres } from "./postgresMigrate.ts";
import { postgresSessions } from "./postgresSessions.ts";
import { reads } from "./reads.ts";
import type { Store } from "./store.ts";
import { toStored } from "./storedText.ts";
import { Watchers } from "./watchers.ts";
import { toAppend } from "./write.ts";

/** A store in a PostgreSQL database, shared by any number of processes. Rejects with `unavailable` or `too-new`. */
export async function openPostgresStore(url: string, options: PostgresOptions): Promise<Store> {
  const { clock } = options;
  const database = new PostgresDatabase(url, options);
  const watchers = new Watchers(clock);
  const listener = new PostgresListener(url, { watchers, clock });
  try {
    // At the start nobody waits for a server that is away: what is wrong is told at once.
    await database.pool.query("select 1");
    await migratePostgres(database);
  } catch (error) {
    await database.close();
    throw postgresFailure(error, url);
  }
  const changes = postgresCommit(database, clock);
  return {
    kind: "postgres",
    ...reads((sql, values) => database.query(sql, values), "strpos"),
    ...postgresSessions(database, clock),
    ...postgresClaims(database, clock),
    append: async (claim, expectedSeq, addition) => await changes.add(toAppend(claim, expectedSeq, addition)),
    async changed(session, since, signal) {
      const id = toStored(session);
      await listener.start();
      const look = async () =>
        (await database.query<{ revision: number }>("select revision from sessions where id = $1", [id]))[0]?.revision;
      await watchers.wait({ id, ...since }, look, AbortSignal.any([signal, database.closing]));
    },
    async ping(signal) {
      signal.throwIfAborted();
      const { promise, reject } = Promise.withResolvers<never>();
      const onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        await Promise.race([promise, database.pool.query("select 1 from sessions limit 1")]);
      } catch (error) {
        throw signal.aborted ? error : postgresFailure(error, url);
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
    async size() {
      const [row] = await database.query<{ bytes: number }>(
        `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes
         from pg_class c where c.relnamespace = $1::regnamespace and c.relkind = 'r'`,
        [schema],
      );
      return row?.bytes;
    },
    async [Symbol.asyncDispose]() {
      await changes.idle();
      await listener[Symbol.asyncDispose]();
      await database.close();
    },
  };
}
