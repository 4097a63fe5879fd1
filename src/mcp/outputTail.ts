/** Keeps the last `limit` bytes of a stream, whatever its length. */
export class OutputTail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < 2 * this.#limit) return;
    const tail = Buffer.from(Buffer.concat(this.#chunks).subarray(-this.#limit));
    this.#chunks = [tail];
    this.#bytes = tail.length;
  }

  /** The last `count` lines that are not blank, joined by ` | `; empty when there are none. */
  lines(count: number): string {
    const text = Buffer.concat(this.#chunks).subarray(-this.#limit).toString();
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    return lines
      .filter((line) => line !== "")
      .slice(-count)
      .join(" | ");
  }
}
