import type { PoolClient } from "pg";
import { migrations } from "./migrations.ts";
import { type PostgresDatabase, schema } from "./postgresDatabase.ts";
import { StoreError } from "./store.ts";

/** Any number that is ours: one process at a time makes tables. */
const lock = 0x6b6f7276;

/** By bytes, on every server: pages and prefixes depend on it. */
const types = {
  text: 'text collate "C"',
  integer: "bigint",
  schema: `${schema}.`,
  options: "",
  // Rows that often change stay on their page.
  hotOptions: "with (fillfactor = 70)",
};

/** Makes the tables, or brings them up to date. Rejects with `too-new`. */
export async function migratePostgres(database: PostgresDatabase): Promise<void> {
  await database.transact(async (client) => {
    await client.query("select pg_advisory_xact_lock($1)", [lock]);
    await client.query(`create schema if not exists ${schema}`);
    await client.query(`create table if not exists ${schema}.version (version bigint not null)`);
    const seen = await versionOf(client);
    if (seen > migrations.length) {
      throw new StoreError(
        "too-new",
        `the database was written by a later Korvus (version ${seen} of its tables, this one knows ${migrations.length})\ninstall that Korvus, or name another database in store.url`,
      );
    }
    if (seen === migrations.length) return;
    for (const migrate of migrations.slice(seen)) for (const statement of migrate(types)) await client.query(statement);
    await client.query(`delete from ${schema}.version`);
    await client.query(`insert into ${schema}.version values ($1)`, [migrations.length]);
  });
}

async function versionOf(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ version: number }>(`select version from ${schema}.version`);
  return rows[0]?.version ?? 0;
}
