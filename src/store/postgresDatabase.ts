import { Pool, type PoolClient, type PoolConfig, type QueryConfig, types } from "pg";
import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import { isConflict, isOutage, postgresFailure } from "./postgresFailure.ts";
import { closed } from "./refusals.ts";

export interface PostgresOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a PostgreSQL that is away is waited for, ms: a restart takes seconds. */
const patience = 60_000;
const shortestPause = 50;
const longestPause = 1_000;

/** Connections of one process; two more are for signs of life and for listening. */
const mostConnections = 8;

/** `bigint`: all of ours are milliseconds and counts, which a number holds. */
const bigint = types.builtins.INT8;

/** The schema that holds Korvus's tables. */
export const schema = "korvus";

/** What every connection is opened with. A frozen process must not hold rows for ever: its transaction is ended. */
export function connectionOf(url: string): PoolConfig {
  return {
    connectionString: url,
    options: `-c search_path=${schema} -c idle_in_transaction_session_timeout=10000 -c client_min_messages=warning`,
    application_name: "korvus",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types: {
      getTypeParser: ((oid: typeof bigint, format?: "text") =>
        oid === bigint ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  };
}

/**
 * A connection that breaks tells whoever asks something of it, and says so once more as an event: unheard, that would end the
 * process. The pool listens to its idle connections only, and gives broken ones to nobody.
 */
function survive(pool: Pool): void {
  const heard = () => undefined;
  pool.on("error", heard);
  pool.on("connect", (client) => client.on("error", heard));
}

/** A pool that outlives a restart of its PostgreSQL: work that may be done twice is done again. */
export class PostgresDatabase {
  readonly pool: Pool;
  /** For signs of life, which must not wait behind work. */
  readonly #beats: Pool;
  readonly #url: string;
  readonly #options: PostgresOptions;
  readonly #names = new Map<string, string>();
  readonly #closing = new AbortController();
  #away = false;

  constructor(url: string, options: PostgresOptions) {
    this.#url = url;
    this.#options = options;
    this.pool = new Pool({ ...connectionOf(url), max: mostConnections });
    this.#beats = new Pool({ ...connectionOf(url), max: 1 });
    for (const pool of [this.pool, this.#beats]) survive(pool);
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Rows of one statement that may be sent twice. Every connection prepares it once. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return await this.again(async () => (await this.pool.query<Row>(this.#named(text, values))).rows);
  }

  /** The same on a connection that no other work keeps busy. */
  async beat<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return await this.again(async () => (await this.#beats.query<Row>(this.#named(text, values))).rows);
  }

  /** The texts of statements are few: values are always parameters. */
  #named(text: string, values: readonly unknown[]): QueryConfig {
    const name = this.#names.get(text) ?? `korvus-${this.#names.size}`;
    this.#names.set(text, name);
    return { name, text, values: [...values] };
  }

  /** One transaction. `attempt` is 1 at first: later ones may find that an earlier one was kept after all. */
  async transact<T>(body: (client: PoolClient, attempt: number) => Promise<T>): Promise<T> {
    return await this.again(async (attempt) => {
      const client = await this.pool.connect();
      let broken: Error | undefined;
      try {
        await client.query("begin");
        const result = await body(client, attempt);
        await client.query("commit");
        return result;
      } catch (error) {
        broken = isOutage(error) ? (error as Error) : undefined;
        if (!broken) await client.query("rollback");
        throw error;
      } finally {
        client.release(broken);
      }
    });
  }

  /** Does it again while PostgreSQL is away, at most a minute, or when it broke off one of two that stood in each other's way. */
  async again<T>(work: (attempt: number) => Promise<T>): Promise<T> {
    const { clock, log } = this.#options;
    const end = clock.now() + patience;
    let pause = shortestPause;
    for (let attempt = 1; ; attempt++) {
      if (this.closing.aborted) throw closed();
      try {
        const result = await work(attempt);
        if (this.#away) log.info({}, "PostgreSQL is back");
        this.#away = false;
        return result;
      } catch (error) {
        const away = isOutage(error);
        if ((!away && !isConflict(error)) || clock.now() > end) throw postgresFailure(error, this.#url);
        if (away && !this.#away) log.warn({}, "PostgreSQL is away, and is waited for");
        this.#away ||= away;
        await clock.sleep(pause, this.closing).catch(() => undefined);
        pause = Math.min(pause * 2, longestPause);
      }
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(closed());
    await Promise.all([this.pool.end(), this.#beats.end()]);
  }
}
