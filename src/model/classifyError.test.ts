import { APICallError } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { redactor } from "../redact/redact.ts";
import { classifyError } from "./classifyError.ts";

const now = Date.parse("2026-11-02T10:00:00Z");

function answered(statusCode: number, body: object | string, responseHeaders: Record<string, string> = {}) {
  return new APICallError({
    message: "Status text",
    url: "https://api.example.com/v1/messages?key=k",
    requestBodyValues: {},
    statusCode,
    responseHeaders,
    responseBody: typeof body === "string" ? body : JSON.stringify(body),
  });
}

const redact = redactor([{ name: "KEY", value: "sk-0123456789" }]);
const before = (error: unknown) => classifyError(error, { now, streaming: false, redact });
const within = (error: unknown) => classifyError(error, { now, streaming: true, redact });

test.each([
  ["seconds", { "retry-after": "7" }, 7_000],
  ["fractions of a second", { "retry-after": "0.25" }, 250],
  ["milliseconds", { "retry-after": "7", "retry-after-ms": "120" }, 120],
  ["a date", { "retry-after": "Mon, 02 Nov 2026 10:00:30 GMT" }, 30_000],
  ["a date that has passed", { "retry-after": "Mon, 02 Nov 2026 09:00:00 GMT" }, 0],
  ["nonsense", { "retry-after": "soon" }, undefined],
  ["nothing", {}, undefined],
])("a wait given in %s", (_, headers, expected) => {
  expect(before(answered(429, {}, headers as Record<string, string>)).retryAfter).toBe(expected);
  expect(before(answered(503, {}, headers as Record<string, string>)).retryAfter).toBe(expected);
});

test("Google's wait stands in the body", () => {
  const body = { error: { message: "Quota", details: [{ retryDelay: "12.5s" }] } };

  expect(before(answered(429, body))).toMatchObject({ code: "rate-limited", retryable: true, retryAfter: 12_500 });
});

test("a quota that is used up is not worth a retry", () => {
  const body = { error: { message: "You exceeded your current quota", code: "insufficient_quota" } };

  expect(before(answered(429, body))).toMatchObject({ code: "rate-limited", retryable: false });
});

test.each([
  [400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"],
  [400, "prompt is too long: 210000 tokens > 200000 maximum"],
  [400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, context window"],
  [400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
  [400, "the request exceeds the available context size. try increasing it"],
  [400, "litellm.ContextWindowExceededError: too many"],
  [413, "Payload"],
  [429, "Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 40000"],
])("%i: %s: too long", (status, message) => {
  expect(before(answered(status, { error: { message } }))).toMatchObject({ code: "too-long", retryable: false });
});

test("a bound on the answer that is too high is an invalid request, not a long prompt", () => {
  const message = "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens";

  expect(before(answered(400, { error: { message } }))).toMatchObject({ code: "invalid-request", retryable: false });
});

test.each([
  [{ error: { message: "said" } }],
  [{ error: "said" }],
  [{ message: "said" }],
  [{ detail: "said" }],
  [[{ error: { message: "said" } }]],
])("the sentence of the body %j is what people read", (body) => {
  expect(before(answered(404, body)).message).toBe("api.example.com answered 404: said");
});

test("a page instead of JSON falls back to the status, on one line of bounded length", () => {
  expect(before(answered(502, "<html>bad gateway</html>"))).toMatchObject({
    code: "provider",
    retryable: true,
    message: "api.example.com answered 502: Status text",
  });
  const long = before(answered(400, { error: { message: `a\nb\u0000${"c".repeat(5_000)}` } })).message;
  expect(long.length).toBeLessThanOrEqual(400);
  expect(long).toContain("a b c");
});

function unreachable(code: string) {
  const cause = Object.assign(new Error(`connect ${code}`), { code });
  return new APICallError({
    message: "Cannot connect to API",
    url: "http://localhost:1/v1",
    requestBodyValues: {},
    cause,
  });
}

test.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ECONNRESET", "UND_ERR_CONNECT_TIMEOUT"])(
  "%s is unreachable",
  (code) => {
    expect(before(unreachable(code))).toMatchObject({
      code: "unreachable",
      retryable: true,
      message: `cannot reach localhost:1: ${code}`,
    });
  },
);

test("a certificate that is not accepted stays so", () => {
  expect(before(unreachable("CERT_HAS_EXPIRED"))).toMatchObject({ code: "unreachable", retryable: false });
  expect(before(unreachable("DEPTH_ZERO_SELF_SIGNED_CERT"))).toMatchObject({ code: "unreachable", retryable: false });
});

test("what breaks before an answer and is no network's fault is not retried, within one it is a cut", () => {
  const mistake = new TypeError("Failed to parse URL");

  expect(before(mistake)).toMatchObject({ code: "provider", retryable: false, message: "Failed to parse URL" });
  expect(within(mistake)).toMatchObject({ code: "cut", retryable: true });
});

test.each([
  [{ type: "overloaded_error", message: "m" }, "overloaded", true],
  [{ message: "m", statusCode: 529 }, "overloaded", true],
  [{ error: { message: "m", code: 503 } }, "overloaded", true],
  [{ type: "rate_limit_error", message: "m" }, "rate-limited", true],
  [{ code: "rate_limit_exceeded", message: "m" }, "rate-limited", true],
  [{ type: "invalid_request_error", message: "m" }, "invalid-request", false],
  [{ type: "server_error", message: "m" }, "provider", true],
  [{ code: "context_length_exceeded", message: "Your input exceeds the context window" }, "too-long", false],
  [{ message: "m" }, "cut", true],
  ["m", "cut", true],
  [undefined, "cut", true],
] as const)("the event %j within an answer is %s", (event, code, retryable) => {
  expect(within(event)).toMatchObject({ code, retryable });
});

test("a key that the end of a long message would cut in half is redacted before", () => {
  const said = `${"x".repeat(365)} sk-0123456789`;

  const { message } = before(answered(400, { error: { message: said } }));

  expect(message).not.toContain("sk-0");
});
