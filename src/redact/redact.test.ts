import { expect, test } from "vitest";
import { notRedacted, redactor } from "./redact.ts";

const redact = redactor([
  { name: "TOKEN", value: 's3cr3t/"quoted"' },
  { name: "SHORT", value: "abc" },
  { name: "PREFIX", value: "s3cr3t" },
]);

test("a secret is replaced in values and keys at every depth, and everything else is kept", () => {
  const value = { a: ["x s3cr3t y", 1, null, true], "key s3cr3t": { b: "fine" } };

  expect(redact(value)).toEqual({
    a: ["x [redacted:PREFIX] y", 1, null, true],
    "key [redacted:PREFIX]": { b: "fine" },
  });
});

test("the longer of two secrets that begin alike is replaced as a whole", () => {
  expect(redact('s3cr3t/"quoted"')).toBe("[redacted:TOKEN]");
});

test("escaped, percent-encoded and base64 forms are replaced too", () => {
  const value = 's3cr3t/"quoted"';
  const forms = [JSON.stringify({ value }), encodeURIComponent(value), Buffer.from(value).toString("base64")];

  for (const form of forms) {
    expect(redact(form)).toContain("[redacted:TOKEN]");
    expect(redact(form)).not.toContain("s3cr3t");
  }
});

test("values too short to be told from ordinary text are left alone", () => {
  expect(redact("abcdef")).toBe("abcdef");
});

test("words that every result is made of are left alone, or none could be read", () => {
  const result = { content: [{ type: "text", text: "the text of an error" }], isError: true };
  const words = ["text", "error", "content", "type "].map((value, index) => ({ name: `V${index}`, value }));

  expect(redactor(words)(result)).toEqual(result);
  expect(words.map(({ value }) => notRedacted(value))).toEqual(words.map(() => "is an ordinary word"));
});

test("white space around a value, as of a file's last line, is no part of the secret", () => {
  const redactFile = redactor([{ name: "FILE", value: "s3cr3t-line\n" }]);

  expect(redactFile("a s3cr3t-line b")).toBe("a [redacted:FILE] b");
  expect(redactFile(Buffer.from("s3cr3t-line").toString("base64"))).toBe("[redacted:FILE]");
});

test("a secret made of pattern characters is taken literally", () => {
  expect(redactor([{ name: "P", value: "a.*b$" }])("axxb a.*b$")).toBe("axxb [redacted:P]");
});

test("a key named __proto__ stays data", () => {
  const value = JSON.parse('{"__proto__": {"x": "s3cr3t"}}') as object;

  const after = redact(value);

  expect(JSON.stringify(after)).toBe('{"__proto__":{"x":"[redacted:PREFIX]"}}');
  expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
});
