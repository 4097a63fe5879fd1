import { expect, test } from "vitest";
import { redactor } from "../redact/redact.ts";
import { shortMessage } from "./shortMessage.ts";

const redact = redactor([{ name: "TOKEN", value: "token-0123456789" }]);

test("a secret that lies where the message is cut does not show in part", () => {
  for (let before = 1930; before < 2010; before++) {
    const short = shortMessage(`${"x".repeat(before)}token-0123456789${"y".repeat(100)}`, redact);
    expect(short).not.toContain("token");
    expect(short.length).toBeLessThanOrEqual(2000);
  }
});

test("what was cut says how long it was, and is not cut again", () => {
  const short = shortMessage("x".repeat(20_000_000), redact);

  expect(short).toMatch(/x… \(20000000 characters\)$/);
  expect(shortMessage(short, redact)).toBe(short);
  expect(shortMessage("as it is", redact)).toBe("as it is");
});
