import pc from "picocolors";
import { expect, test } from "vitest";
import { renderMarkdown } from "./renderMarkdown.ts";

const plain = { width: 40, colors: pc.createColors(false) };

test("marks of emphasis, code and links are taken off, and nothing else is lost", () => {
  const text = renderMarkdown("**payments** is _slow_, see `p95` and [the runbook](https://example.com/r) ~~now~~", {
    ...plain,
    width: 100,
  });

  expect(text).toBe("payments is slow, see p95 and the runbook (https://example.com/r) now");
});

test("lists, also inside lists and with bold text, keep their marks and hang their lines", () => {
  const text = renderMarkdown("1. **first** thing that is long enough to wrap around\n   - inner\n2. second", plain);

  expect(text).toBe("1. first thing that is long enough to\n   wrap around\n   - inner\n2. second");
});

test("headings, code, quotes, tables and HTML are shown", () => {
  const text = renderMarkdown(
    "# Title\n\n```\nrate(x[5m])\n```\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<b>html</b>",
    plain,
  );

  expect(text).toBe("Title\n\n  rate(x[5m])\n\n│ quoted\n\na  b\n1  2\n\n<b>html</b>");
});

test("colours mark emphasis where there are any", () => {
  expect(renderMarkdown("**a**", { ...plain, colors: pc.createColors(true) })).toBe("\u001b[1ma\u001b[22m");
});

test("escape sequences in the text reach nobody's terminal", () => {
  expect(renderMarkdown("a \u001b[31mred", plain)).not.toContain("\u001b");
});

test.each([
  ["quotes in quotes", ">".repeat(15_000)],
  ["lists in lists", Array.from({ length: 3000 }, (_, level) => `${" ".repeat(level * 2)}- x`).join("\n")],
  ["blanks", `a${" ".repeat(1_000_000)}b`],
])("text that is made to be slow or deep (%s) is shown all the same", (_, text) => {
  expect(renderMarkdown(text, plain).replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
});
