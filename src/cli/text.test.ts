import { expect, test } from "vitest";
import { table } from "./table.ts";
import { argumentsText, duration, grouped, shortened, visible, visibleLines, width, wrap } from "./text.ts";

test("wide characters take two columns, marks and colours none", () => {
  expect(width("abc")).toBe(3);
  expect(width("支払い")).toBe(6);
  expect(width("🔥")).toBe(2);
  expect(width("e\u0301")).toBe(1);
  expect(width("\u001b[31mred\u001b[39m")).toBe(3);
});

test("escape sequences, control and bidirectional characters are shown as what they are, on one line", () => {
  expect(visible("a\u001b[31mred\u0007 \u202e b\nc\td")).toBe("a\\u001b[31mred\\u0007 \\u202e b c\td");
  expect(visibleLines("a\r\nb\u001b[2J")).toBe("a\nb\\u001b[2J");
  expect(visible("a\u061cb\u2028c")).toBe("a\\u061cb\\u2028c");
});

test("text is wrapped between words, and what follows is indented", () => {
  expect(wrap("one two three four five six seven", 24, "  ")).toBe("one two three four\n  five six seven");
});

test("no line ends in a blank", () => {
  expect(wrap("seventeen letters  and more", 20)).toBe("seventeen letters\nand more");
});

test("text that does not fit ends in an ellipsis", () => {
  expect(shortened("abcdef", 4)).toBe("abc…");
  expect(shortened("支払い", 5)).toBe("支払…");
  expect(shortened("abc", 3)).toBe("abc");
});

test("arguments stand on one line, times and amounts last", () => {
  const args = { start: "2026-11-30T21:30:40.000Z", limit: 20, step: "2s", query: "sum(\n  up)", from: "1796074814" };

  expect(argumentsText(args)).toBe(
    "query=sum( up)  start=2026-11-30T21:30:40.000Z  limit=20  step=2s  from=1796074814",
  );
});

test("durations and counts are short", () => {
  expect([150, 9_949, 38_400, 250_000].map(duration)).toEqual(["0.1s", "9.9s", "38s", "4m10s"]);
  expect([7, 1234, 1_204_000].map(grouped)).toEqual(["7", "1,234", "1,204,000"]);
});

test("columns of a table are as wide as they need to be, numbers on the right", () => {
  const text = table(
    ["name", "tokens"],
    [
      ["支払い", 1204],
      ["b", "-"],
      ["c", 5],
    ],
  );

  expect(text).toBe("  name    tokens\n  支払い   1,204\n  b            -\n  c            5\n");
});

test("a long run of blanks takes no longer than other text", () => {
  const blanks = " ".repeat(1_000_000);

  expect(visible(`${blanks}x`)).toBe(`${blanks}x`);
});
