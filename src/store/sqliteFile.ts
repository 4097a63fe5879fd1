import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../clock/clock.ts";
import { migrations } from "./migrations.ts";
import { isBusy, sqliteFailure } from "./sqliteFailure.ts";
import { StoreError } from "./store.ts";

/** Marks a file as Korvus's: "Krvs". */
const applicationId = 0x4b727673;

/** How long another process's transaction is waited for, ms. It takes milliseconds; one that is frozen takes for ever. */
const patience = 30_000;

/** How long SQLite itself waits, blocking this process, ms: the rest is waited for with a timer. */
const busyTimeout = 20;

const pause = 25;

const types = { text: "text", integer: "integer", schema: "", options: "strict", hotOptions: "strict" };

/** Bodies in one transaction, at most. */
const mostTogether = 500;

interface Waiting {
  /** Gives what to call once it is kept. */
  readonly run: () => () => void;
  readonly fail: (error: unknown) => void;
}

/** One connection to one file: statements are prepared once, transactions run to their end without a pause. */
export class SqliteFile {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #statements = new Map<string, StatementSync>();
  readonly #waiting: Waiting[] = [];
  #writing = false;

  private constructor(path: string, database: DatabaseSync, clock: Clock) {
    this.path = path;
    this.#database = database;
    this.#clock = clock;
  }

  /** Makes directory, file and tables where they are missing. Rejects with `StoreError` `unavailable` or `too-new`. */
  static async open(path: string, clock: Clock, signal: AbortSignal): Promise<SqliteFile> {
    let database: DatabaseSync | undefined;
    try {
      if (path !== ":memory:") makeFile(path);
      database = new DatabaseSync(path, { timeout: busyTimeout, enableForeignKeyConstraints: true });
      const file = new SqliteFile(path, database, clock);
      // The change to WAL needs the file for itself, and does not wait.
      await file.patiently(() => file.#database.exec("pragma journal_mode = wal; pragma synchronous = full"), signal);
      await file.patiently(() => migrate(file), signal);
      return file;
    } catch (error) {
      database?.close();
      throw sqliteFailure(error, path);
    }
  }

  /** Reads with errors that say what to do. */
  read<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw sqliteFailure(error, this.path);
    }
  }

  /** Rows of a query. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what its statement selects
  all<Row>(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#prepare(sql).all(...values) as unknown as readonly Row[];
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
  get<Row>(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  /** How many rows it changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /**
   * Runs `body` in a transaction, once no other process is in one. Bodies that come while one is under way share the next,
   * and its fsync; what one of them throws undoes that one only. Rejects with `StoreError`, and nothing of it is kept.
   */
  async write<T>(body: () => T, signal: AbortSignal): Promise<T> {
    const done = Promise.withResolvers<T>();
    this.#waiting.push({
      run: () => {
        const result = body();
        return () => done.resolve(result);
      },
      fail: (error) => done.reject(sqliteFailure(error, this.path)),
    });
    // Whatever fails there is told to those who wait for it.
    if (!this.#writing) void this.#writeAll(signal);
    return await done.promise;
  }

  async #writeAll(signal: AbortSignal): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      // Whoever is about to write in this turn joins.
      await nextTurn();
      const batch = this.#waiting.splice(0, mostTogether);
      try {
        const ends = await this.patiently(() => this.transact(() => batch.map((one) => this.#alone(one))), signal);
        for (const end of ends) end();
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    this.#writing = false;
  }

  /** One body of several: it fails by itself. Gives what to call once all is kept. */
  #alone({ run, fail }: Waiting): () => void {
    this.#database.exec("savepoint one");
    try {
      const end = run();
      this.#database.exec("release one");
      return end;
    } catch (error) {
      // A full disk has rolled back everything: then the whole transaction fails.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec("rollback to one; release one");
      return () => fail(error);
    }
  }

  transact<T>(body: () => T): T {
    this.#database.exec("begin immediate");
    try {
      const result = body();
      this.#database.exec("commit");
      return result;
    } catch (error) {
      // Some failures, as of a full disk, have rolled it back already.
      if (this.#database.isTransaction) this.#database.exec("rollback");
      throw error;
    }
  }

  /** Again and again while another process has the lock, at most `patience` ms. */
  async patiently<T>(body: () => T, signal: AbortSignal): Promise<T> {
    const end = this.#clock.now() + patience;
    for (;;) {
      try {
        return body();
      } catch (error) {
        if (!isBusy(error) || this.#clock.now() > end) throw error;
        await this.#clock.sleep(pause, signal);
      }
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  /** The texts of statements are few: values are always parameters. */
  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    // Parameters by number, as both databases have them; Node takes those that begin with `$` for names.
    const statement = this.#database.prepare(sql.replaceAll(/\$(?=\d)/g, "?"));
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** SQLite would make the file as the umask says, for others to read. Its companions get the rights of the file. */
function makeFile(path: string): void {
  const directory = dirname(path);
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
  // Nobody wants sessions in a repository.
  if (made !== undefined) writeFileSync(join(directory, ".gitignore"), "*\n");
  closeSync(openSync(path, "a", 0o600));
}

function migrate(file: SqliteFile): void {
  const pragma = (name: string) => Number(Object.values(file.get<object>(`pragma ${name}`) ?? {})[0]);
  if (pragma("user_version") === migrations.length && pragma("application_id") === applicationId) return;
  file.transact(() => {
    const version = pragma("user_version");
    const foreign = pragma("application_id") !== applicationId && file.get("select 1 from sqlite_schema") !== undefined;
    if (foreign)
      throw new StoreError(
        "unavailable",
        `${file.path} is a database of another program; set store.url to a file of its own`,
      );
    if (version > migrations.length)
      throw new StoreError(
        "too-new",
        `the session store ${file.path} was written by a later version of Korvus (tables ${version}, this one knows ${migrations.length}); upgrade Korvus, or set store.url to another file`,
      );
    for (const migration of migrations.slice(version)) for (const sql of migration(types)) file.run(sql);
    file.run(`pragma application_id = ${applicationId}`);
    file.run(`pragma user_version = ${migrations.length}`);
  });
}
