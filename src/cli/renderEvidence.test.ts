import { expect, test } from "vitest";
import { citationMarks } from "./renderEvidence.ts";

test("numbers in a row are drawn together, each once", () => {
  expect(citationMarks([3])).toBe("[3]");
  expect(citationMarks([4, 3, 3])).toBe("[3] [4]");
  expect(citationMarks([9, 1, 2, 3, 5])).toBe("[1-3] [5] [9]");
});
