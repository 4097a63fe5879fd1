import { StoreError } from "./store.ts";

/** The last session of a page: the next page starts behind it, whatever came or went meanwhile. */
export interface Position {
  readonly createdAt: number;
  readonly id: string;
}

export function toCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt} ${id}`).toString("base64url");
}

/** Throws `wrong-cursor` for what `toCursor` did not make. */
export function fromCursor(cursor: string): Position {
  const [, createdAt, id] = /^(\d{1,15}) (.+)$/s.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (createdAt === undefined || id === undefined)
    throw new StoreError("wrong-cursor", "the cursor is none that a list gave; start again without one");
  return { createdAt: Number(createdAt), id };
}
