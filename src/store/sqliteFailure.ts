import { StoreError } from "./store.ts";

/** Primary result codes of SQLite; the low byte of `errcode`. */
const busy = [5, 6];

interface SqliteError extends Error {
  readonly errcode: number;
}

function primaryCode(error: unknown): number | undefined {
  const { errcode } = error as Partial<SqliteError>;
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

/** Another connection has what this one needs: to be tried again. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code !== undefined && busy.includes(code);
}

/** What a failure of SQLite at `path` means and what to do about it. */
export function sqliteFailure(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const { message, code } = error as NodeJS.ErrnoException;
  return new StoreError("unavailable", `the session store ${path} ${explain(primaryCode(error), code)}: ${message}`, {
    cause: error,
  });
}

function explain(sqliteCode: number | undefined, systemCode: string | undefined): string {
  if (sqliteCode === 5 || sqliteCode === 6)
    return "is locked by another process that does not let go; find it with fuser or lsof";
  if (
    sqliteCode === 8 ||
    sqliteCode === 3 ||
    systemCode === "EACCES" ||
    systemCode === "EPERM" ||
    systemCode === "EROFS"
  )
    return "cannot be written; give the user that runs Korvus the right to write the file and its directory, or set store.url";
  if (sqliteCode === 13 || systemCode === "ENOSPC" || systemCode === "EDQUOT")
    return "cannot grow; make room on its disk";
  if (sqliteCode === 10) return "cannot be read or written; look at its disk, which may be full or failing";
  if (sqliteCode === 11) return "is damaged; move it away and restore a backup";
  if (sqliteCode === 26)
    return "is no SQLite database, or is damaged; move it away, restore a backup, or set store.url";
  if (sqliteCode === 14 || systemCode !== undefined)
    return "cannot be opened; look whether its directory exists and may be written, or set store.url";
  return "failed";
}
