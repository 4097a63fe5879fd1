import type { Mirror } from "./mirror.ts";

/** One line of a commit's tree, unjudged. */
export interface TreeEntry {
  /** Six octal digits. */
  readonly mode: string;
  readonly type: string;
  readonly id: string;
  /** Bytes; undefined where git has no such object, or it is no blob. */
  readonly size: number | undefined;
  /** Any bytes but NUL; of a very long one, the beginning. */
  readonly path: Buffer;
}

export type ListingEnd =
  | { readonly kind: "complete" }
  /** The mirror does not have the commit. */
  | { readonly kind: "no-commit" }
  /** More entries than anybody is shown; the rest was not looked at. */
  | { readonly kind: "endless" }
  /** git cannot read a part of the tree; what it says of it. */
  | { readonly kind: "broken"; readonly reason: string };

export interface ListingOptions {
  readonly commit: string;
  /** Only this path and what is under it. */
  readonly under?: string;
  readonly signal: AbortSignal;
  readonly onEntry: (entry: TreeEntry) => void;
}

/** A tree of a few objects can have more entries than atoms in the world. */
export const mostEntries = 1_000_000;
const longestRecord = 64 * 1024;

class Endless extends Error {}

/** Every file, link and submodule of a commit, in tree order, in little memory. */
export async function listTree(
  mirror: Mirror,
  { commit, under, signal, onEntry }: ListingOptions,
): Promise<ListingEnd> {
  let entries = 0;
  const reader = new RecordReader((record) => {
    const entry = parseRecord(record);
    if (entry === undefined) return;
    entries++;
    if (entries > mostEntries) throw new Endless();
    onEntry(entry);
  });
  const args = ["ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", `${commit}^{commit}`];
  try {
    const { result, stdin } = mirror.start(under === undefined ? args : [...args, under], {
      signal,
      onOutput: (chunk) => reader.push(chunk),
    });
    stdin.end();
    const { code, stderr } = await result;
    if (code === 0) return { kind: "complete" };
    if (/not a valid object name|not a git repository/i.test(stderr)) return { kind: "no-commit" };
    return { kind: "broken", reason: stderr.trim().split("\n").at(-1) ?? `exit code ${code}` };
  } catch (error) {
    if (error instanceof Endless) return { kind: "endless" };
    throw mirror.failure(error);
  }
}

/** `100644 blob 8d1c22e...    1234<TAB>path` */
function parseRecord(record: Buffer): TreeEntry | undefined {
  const tab = record.indexOf(9);
  const [mode, type, id, size] = record.toString("latin1", 0, tab).split(/ +/);
  if (tab < 0 || mode === undefined || type === undefined || id === undefined) return undefined;
  const bytes = size !== undefined && /^\d+$/.test(size) ? Number(size) : undefined;
  return { mode, type, id, size: bytes, path: record.subarray(tab + 1) };
}

/** Cuts a stream at its NULs. Of a record that is too long, only the beginning is kept. */
class RecordReader {
  readonly #onRecord: (record: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onRecord: (record: Buffer) => void) {
    this.#onRecord = onRecord;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const part = chunk.subarray(start, end);
      this.#onRecord(this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]));
      this.#rest = Buffer.alloc(0);
      start = end + 1;
    }
    const room = Math.max(0, longestRecord - this.#rest.length);
    this.#rest = Buffer.concat([this.#rest, chunk.subarray(start, Math.min(chunk.length, start + room))]);
  }
}
