import fc from "fast-check";
import { expect, test } from "vitest";
import { LineReader } from "./lineReader.ts";

const limit = 600;
const bytes = fc
  .array(
    fc.oneof(
      fc.constant("\n"),
      fc.string({ unit: "grapheme" }),
      fc.nat(700).map((n) => "x".repeat(n)),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.from(parts.join("")));

test("lines are the same however the stream is cut into chunks", () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(900), { maxLength: 20 }), (stream, cuts) => {
      const at = [0, ...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length];
      const reader = new LineReader(limit);

      const lines = at.slice(1).flatMap((end, index) => reader.push(stream.subarray(at[index], end)));

      const expected = stream.toString().split("\n").slice(0, -1);
      expect(lines.length).toBe(expected.length);
      for (const [index, line] of lines.entries()) {
        const text = expected[index] ?? "";
        if (Buffer.byteLength(text) <= limit) expect(line).toEqual({ kind: "line", text });
        else expect(line).toMatchObject({ kind: "oversized", bytes: Buffer.byteLength(text) });
      }
    }),
  );
});

test("of a line beyond the limit both ends are kept", () => {
  const reader = new LineReader(1000);
  const long = `start${"x".repeat(5000)}end`;

  const lines = Array.from(Buffer.from(`${long}\nnext\n`), (byte) => reader.push(Buffer.of(byte))).flat();

  expect(lines).toEqual([
    { kind: "oversized", bytes: 5008, head: long.slice(0, 256), tail: long.slice(-256) },
    { kind: "line", text: "next" },
  ]);
});
