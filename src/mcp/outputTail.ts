/** Keeps the last `limit` bytes of a stream, whatever its length. */
export class OutputTail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#cut ||= this.#bytes > this.#limit;
    if (this.#bytes < 2 * this.#limit) return;
    const tail = Buffer.from(Buffer.concat(this.#chunks).subarray(-this.#limit));
    this.#chunks = [tail];
    this.#bytes = tail.length;
  }

  /** The last `count` lines that are not blank, joined by ` | `; empty when there are none. */
  lines(count: number): string {
    const text = Buffer.concat(this.#chunks).subarray(-this.#limit).toString();
    const [first = "", ...more] = text.split(/\r?\n/).map((line) => line.trim());
    // Half of a line may begin with half of a secret, which no redaction finds.
    const lines = this.#cut
      ? [`(a line of more than ${this.#limit} bytes)`, ...more].slice(more.some((line) => line !== "") ? 1 : 0)
      : [first, ...more];
    return lines
      .filter((line) => line !== "")
      .slice(-count)
      .join(" | ");
  }
}
