import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateTokens } from "./estimateTokens.ts";

// Counted once with the o200k tokenizer.
test.each([
  ["prose", "The checkout service slowed down after a deploy changed the connection pool size. ".repeat(50), 701],
  ["trace ids", "4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7 ".repeat(50), 1600],
  [
    "a log line",
    '2026-10-07T13:42:12.417Z level=error trace_id=4bf92f3577b34da6a3ce929d0e0e4736 msg="upstream connect error" service=checkout-api latency_ms=1790\n'.repeat(
      20,
    ),
    1180,
  ],
])("the estimate for %s is within a quarter of a real tokenizer's count", (_, text, counted) => {
  expect(estimateTokens(text) / counted).toBeGreaterThan(0.75);
  expect(estimateTokens(text) / counted).toBeLessThan(1.25);
});

test.each([
  ["one letter", "a"],
  ["letters and digits", "a1"],
  ["base64", "YWJjMTIzNDU2Nzg5MGFiY2RlZg"],
  ["Chinese", "漢"],
  ["emoji", "😀"],
  ["lone surrogates", "\ud800"],
  ["white space", " "],
  ["words and dashes", "ab1-"],
])("a megabyte of %s without a break takes well under a second", (_, unit) => {
  const text = unit.repeat(Math.ceil(1_000_000 / unit.length));

  const start = performance.now();
  estimateTokens(text);

  expect(performance.now() - start).toBeLessThan(5_000);
});

test("any text has an estimate that is a whole number, none is negative", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(0);
      expect(Number.isInteger(estimateTokens(text))).toBe(true);
    }),
  );
});
