import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesWildcard } from "./wildcard.ts";

test("a star stands for any characters, everything else for itself", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), maxLength: 8 });

  fc.assert(
    fc.property(text, text, (pattern, value) => {
      const parts = pattern.split("*").map((part) => RegExp.escape(part));
      const expected = new RegExp(`^${parts.join(".*")}$`).test(value);

      expect(matchesWildcard(pattern, value)).toBe(expected);
    }),
  );
});

test("a hostile pattern takes no time", () => {
  expect(matchesWildcard(`${"*a".repeat(200)}b`, "a".repeat(20_000))).toBe(false);
});
