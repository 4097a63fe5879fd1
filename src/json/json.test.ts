import { expect, test } from "vitest";
import { isTooDeep, type Json } from "./json.ts";

function nested(levels: number): Json {
  return JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`) as Json;
}

test.each([
  ["a scalar", 1, false],
  ["what backends send", { a: [{ b: [{ c: null }] }] }, false],
  ["400 levels", nested(400), false],
  ["600 levels", nested(600), true],
])("%s: too deep is %s", (_, value, deep) => {
  expect(isTooDeep(value)).toBe(deep);
});

test("a hundred thousand levels do not end the stack", () => {
  expect(isTooDeep(nested(100_000))).toBe(true);
});
