import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import type { Store } from "./store.ts";

export type StoreAddress =
  /** A file, or `:memory:`. */
  | { readonly kind: "sqlite"; readonly path: string }
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; further parameters as node-postgres takes them. */
  | { readonly kind: "postgres"; readonly url: string };

export interface StoreOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens a store and brings its tables up to date. Rejects with `StoreError` `unavailable` or `too-new`. */
export async function openStore(address: StoreAddress, { clock, log }: StoreOptions): Promise<Store> {
  // One of them at a time: a start with SQLite loads no client for PostgreSQL.
  if (address.kind === "sqlite") {
    const { openSqliteStore } = await import("./sqliteStore.ts");
    return await openSqliteStore(address.path, clock);
  }
  const { openPostgresStore } = await import("./postgresStore.ts");
  return await openPostgresStore(address.url, { clock, log });
}
