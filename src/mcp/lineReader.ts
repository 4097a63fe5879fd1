/** One line without its line break, or what is left of one that was longer than the limit. */
export type Line =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "oversized"; readonly bytes: number; readonly head: string; readonly tail: string };

/** How much of an oversized line is kept at either end, bytes. */
const kept = 256;

/** Splits a byte stream into lines. Memory is bounded by `limit` bytes: of a longer line only the two ends are kept. */
export class LineReader {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #oversized: { head: Buffer; tail: Buffer } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): readonly Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      this.#append(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
    return lines;
  }

  #append(part: Buffer): void {
    this.#bytes += part.length;
    this.#parts.push(part);
    if (this.#bytes <= this.#limit) return;

    const all = Buffer.concat(this.#oversized ? [this.#oversized.tail, ...this.#parts] : this.#parts);
    // Copies, so that the large buffer behind them can go.
    const head = this.#oversized?.head ?? Buffer.from(all.subarray(0, kept));
    this.#oversized = { head, tail: Buffer.from(all.subarray(-kept)) };
    this.#parts = [];
  }

  #take(): Line {
    const line: Line = this.#oversized
      ? {
          kind: "oversized",
          bytes: this.#bytes,
          head: this.#oversized.head.toString(),
          tail: this.#oversized.tail.toString(),
        }
      : { kind: "line", text: Buffer.concat(this.#parts).toString() };
    this.#parts = [];
    this.#bytes = 0;
    this.#oversized = undefined;
    return line;
  }
}
