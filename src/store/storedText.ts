import { StoreError } from "./store.ts";

/** UTF-16 code units: far below what either database takes in a row, far above what a session should hold. */
const most = 128 * 1024 * 1024;

/** A text that starts so is kept as JSON behind it. */
const mark = "\u0001";

/**
 * A text as both databases keep and give back: PostgreSQL takes no NUL, SQLite cuts there in some functions, and both lose
 * lone surrogates. Texts without these stay as they are, so that people can read the tables. Throws `too-large`.
 */
export function toStored(text: string): string {
  if (text.length > most)
    throw new StoreError(
      "too-large",
      `a text of ${text.length} characters: one row of the store takes at most ${most}`,
    );
  return text.isWellFormed() && !text.includes("\0") && !text.startsWith(mark) ? text : mark + JSON.stringify(text);
}

/** What `toStored` was given. */
export function fromStored(stored: string): string {
  return stored.startsWith(mark) ? (JSON.parse(stored.slice(mark.length)) as string) : stored;
}
