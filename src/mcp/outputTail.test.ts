import { expect, test } from "vitest";
import { OutputTail } from "./outputTail.ts";

function tailOf(text: string): string {
  const tail = new OutputTail(100);
  for (const character of text) tail.push(Buffer.from(character));
  return tail.lines(5);
}

test("the last lines are kept, blank ones left out", () => {
  expect(tailOf("one\n\ntwo\r\nthree\n")).toBe("one | two | three");
});

test("a line that was cut, and could begin with half of a secret, is not shown", () => {
  expect(tailOf(`token-0123456789${"x".repeat(80)}\nlast words\n`)).toBe("last words");
  expect(tailOf(`token-0123456789${"x".repeat(95)}`)).toBe("(a line of more than 100 bytes)");
});
