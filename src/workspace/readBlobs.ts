import { type Mirror } from "./mirror.ts";
import type { PlannedFile } from "./seedPlan.ts";

/** Takes blobs one after the other. What it throws ends the reading. */
export interface BlobSink {
  /** A blob that came in one piece, as nearly all do. */
  whole(file: PlannedFile, content: Buffer): void;
  /** A larger one: pieces in order, then `end`, or `abandon` where git fails half way. */
  begin(file: PlannedFile): void;
  piece(content: Buffer): void;
  end(): void;
  abandon(): void;
  /** There is no such blob, or git cannot read it. */
  unreadable(file: PlannedFile, reason: string): void;
}

/** git dies at a broken object. So often it is started again behind it. */
const mostFailures = 20;

/** Hands every file's blob to `sink`, in order, never more than a piece of one in memory. */
export async function readBlobs(
  mirror: Mirror,
  files: readonly PlannedFile[],
  { sink, signal }: { readonly sink: BlobSink; readonly signal: AbortSignal },
): Promise<void> {
  let done = 0;
  for (let failures = 0; done < files.length; ) {
    const rest = files.slice(done);
    const reader = new BlobReader(rest, sink);
    // After a failure each answer is sent by itself, so that it shows at which object git dies.
    const args = failures === 0 ? ["cat-file", "--batch", "--buffer"] : ["cat-file", "--batch"];
    const { stdin, result } = mirror.start(args, { signal, onOutput: (chunk) => reader.push(chunk) });
    stdin.end(rest.map(({ id }) => `${id}\n`).join(""));
    const { code, stderr } = await result.catch((error: unknown) => {
      reader.stop();
      throw mirror.failure(error);
    });
    done += reader.done;
    reader.stop();
    if (done === files.length) return;
    failures++;
    if (failures === 1 && code !== 0) continue;
    const reason = `is a file that git cannot read: ${stderr.trim().split("\n").at(-1) || `exit code ${code}`}`;
    const broken = failures > mostFailures ? files.slice(done) : files.slice(done, done + 1);
    for (const file of broken) sink.unreadable(file, reason);
    done += broken.length;
  }
}

const longestHeader = 256;
/** A blob up to this size is waited for rather than written in pieces, bytes. */
const small = 64 * 1024;

/** The answers of `cat-file --batch`: `ID blob SIZE`, a line feed, that many bytes, a line feed. */
class BlobReader {
  /** Files whose answer is complete. */
  done = 0;
  readonly #files: readonly PlannedFile[];
  readonly #sink: BlobSink;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of a large blob that are still to come, with its line feed. */
  #left = 0;
  /** The large blob is no blob, and is passed over. */
  #passing = false;

  constructor(files: readonly PlannedFile[], sink: BlobSink) {
    this.#files = files;
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length > 0 && (this.#left > 0 ? this.#more() : this.#next())) {
      // One answer, or a piece of one, at a time.
    }
  }

  /** git has ended. */
  stop(): void {
    if (this.#left > 0 && !this.#passing) this.#sink.abandon();
    this.#left = 0;
  }

  /** False when more is needed. */
  #next(): boolean {
    const file = this.#files[this.done];
    if (file === undefined) throw new Error("git answers more than it was asked");
    const end = this.#rest.indexOf(10);
    if (end < 0 && this.#rest.length > longestHeader) throw new Error("git answers what nobody understands");
    if (end < 0) return false;
    const header = this.#rest.toString("latin1", 0, end);
    const [, id, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header) ?? [];
    if (id === undefined) {
      this.#take(end + 1);
      this.done++;
      this.#sink.unreadable(file, "is a file that git cannot read: its blob is missing");
      return true;
    }
    const bytes = Number(size);
    const isExpected = type === "blob" && id === file.id && bytes === file.size;
    const all = end + 1 + bytes + 1;
    if (isExpected && this.#rest.length >= all) {
      const content = this.#rest.subarray(end + 1, all - 1);
      this.#take(all);
      this.done++;
      this.#sink.whole(file, content);
      return true;
    }
    if (isExpected && bytes <= small) return false;
    this.#take(end + 1);
    this.#left = bytes + 1;
    this.#passing = !isExpected;
    if (isExpected) this.#sink.begin(file);
    else this.#sink.unreadable(file, `is not the file that its entry says, but a ${type} of ${bytes} bytes`);
    return true;
  }

  #more(): boolean {
    const piece = this.#rest.subarray(0, this.#left);
    this.#take(piece.length);
    this.#left -= piece.length;
    const content = this.#left === 0 ? piece.subarray(0, -1) : piece;
    if (!this.#passing && content.length > 0) this.#sink.piece(content);
    if (this.#left > 0) return true;
    this.done++;
    if (!this.#passing) this.#sink.end();
    return true;
  }

  #take(bytes: number): void {
    this.#rest = this.#rest.subarray(bytes);
  }
}
