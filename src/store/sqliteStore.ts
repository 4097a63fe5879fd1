import { statSync } from "node:fs";
import type { Clock } from "../clock/clock.ts";
import { reads } from "./reads.ts";
import { closed } from "./refusals.ts";
import { sqliteClaims } from "./sqliteClaims.ts";
import { type SqliteContext, sqliteCommit } from "./sqliteCommit.ts";
import { SqliteFile } from "./sqliteFile.ts";
import { sqliteSessions } from "./sqliteSessions.ts";
import type { Store } from "./store.ts";
import { toStored } from "./storedText.ts";
import { Watchers } from "./watchers.ts";
import { toAppend } from "./write.ts";

/** How often other processes' changes are looked for while somebody waits for them, ms. */
const glance = 100;

/** A store in one SQLite file, which other processes may have open as well. Rejects with `unavailable` or `too-new`. */
export async function openSqliteStore(path: string, clock: Clock): Promise<Store> {
  const closing = new AbortController();
  const file = await SqliteFile.open(path, clock, closing.signal);
  const context: SqliteContext = { file, clock, watchers: new Watchers(clock), closing: closing.signal };
  const changes = sqliteCommit(context);
  return {
    kind: "sqlite",
    ...reads(async (sql, values) => file.read(() => file.all(sql, ...values)), "instr"),
    ...sqliteSessions(context),
    ...sqliteClaims(context),
    append: async (claim, expectedSeq, addition) => await changes.add(toAppend(claim, expectedSeq, addition)),
    changed: watch(context),
    async ping(signal) {
      signal.throwIfAborted();
      file.read(() => file.get("select 1 from sessions"));
    },
    async size() {
      if (path === ":memory:") return undefined;
      const sizeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
      return sizeOf(path) + sizeOf(`${path}-wal`);
    },
    async [Symbol.asyncDispose]() {
      await changes.idle();
      closing.abort(closed());
      file.close();
    },
  };
}

/** `changed`: this process's own changes wake at once, those of others are looked for. */
function watch({ file, clock, watchers, closing }: SqliteContext): Store["changed"] {
  let glancing = false;

  // Changes with another connection's commit, not with our own.
  const version = () => file.get<{ data_version: number }>("pragma data_version")?.data_version;

  /** While anybody waits. */
  async function glanceForOthers(): Promise<void> {
    glancing = true;
    try {
      let seen = version();
      do {
        await clock.sleep(glance, closing);
        const now = version();
        if (now === seen) continue;
        seen = now;
        const rows = file.all<{ id: string; revision: number }>(
          "select id, revision from sessions where id in (select value from json_each(?))",
          JSON.stringify(watchers.ids),
        );
        watchers.compare(new Map(rows.map(({ id, revision }) => [id, revision])));
      } while (watchers.ids.length > 0);
    } catch {
      // Closed, or the file is failing: whoever waits asks again after their `wait`, and is told then.
    } finally {
      glancing = false;
    }
  }

  return async (session, since, signal) => {
    const id = toStored(session);
    const look = () =>
      file.read(() => file.get<{ revision: number }>("select revision from sessions where id = ?", id)?.revision);
    // Before the look, so that what another process does between the two is seen.
    if (!glancing) void glanceForOthers();
    await watchers.wait({ id, ...since }, look, AbortSignal.any([signal, closing]));
  };
}
