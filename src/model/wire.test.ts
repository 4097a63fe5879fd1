import { LLMock } from "@copilotkit/aimock";
import { describe, expect, test } from "vitest";
import { drain, stepInput, wireTools } from "../../test/wire/stepInput.ts";
import { type Wire, wireConfig, wireKey, wires } from "../../test/wire/wires.ts";
import { createModel } from "./createModel.ts";
import type { AnswerPart, Message, ToolMessage } from "./model.ts";

/** aimock on loopback, and a model that speaks to it through a `fetch` which keeps the bytes it sends. */
async function mocked(wire: Wire) {
  const mock = await LLMock.create({ port: 0, host: "127.0.0.1" });
  const sent: string[] = [];
  const model = await createModel(wireConfig(wire, mock.url), {
    fetch: async (url, init) => {
      sent.push(init?.body as string);
      return await fetch(url, init);
    },
  });
  return { mock, model, sent, [Symbol.asyncDispose]: () => mock.stop() };
}

const usage = { prompt_tokens: 900, completion_tokens: 40, input_tokens: 900, output_tokens: 40 };
const threeCalls = {
  content: "Asking three at once.",
  toolCalls: [
    { id: "call_a", name: "prometheus_query", arguments: '{"query":"up"}' },
    { id: "call_b", name: "loki_query", arguments: '{"query":"{app=\\"checkout\\"}"}' },
    { id: "call_c", name: "tempo_traces", arguments: '{"query":"{}"}' },
  ],
  usage,
};

function resultsFor(parts: readonly AnswerPart[]): readonly ToolMessage[] {
  return parts.flatMap((part) => {
    if (part.type !== "call" && part.type !== "invalid-call") return [];
    const { id: callId, name } = part;
    return [{ callId, name, text: `<result>${name} says "42"</result>`, isError: name === "tempo_traces" }];
  });
}

/** What a JSON body holds under a key, as the bytes that were sent. */
function bytesOf(body: string, key: "system" | "tools" | "instructions"): string {
  const { [key]: value } = JSON.parse(body) as Record<string, unknown>;
  const text = JSON.stringify(value);
  expect(body).toContain(text);
  return text;
}

function systemBytes(wire: Wire, body: string): string {
  if (wire.provider === "anthropic") return bytesOf(body, "system");
  const { messages, input } = JSON.parse(body) as { messages?: unknown[]; input?: unknown[] };
  const text = JSON.stringify((messages ?? input)?.[0]);
  expect(body).toContain(text);
  return text;
}

describe.each(wires.map((wire) => [wire.provider, wire] as const))("over the wire of %s", (_, wire) => {
  test("several calls of one answer come in order, and their results are seen by the provider", async () => {
    await using wired = await mocked(wire);
    wired.mock.on({ hasToolResult: false }, threeCalls);
    wired.mock.on({ hasToolResult: true }, { content: "It is the database.", usage });

    const first = await drain(wired.model);
    if (first.ending.type !== "answered") throw new Error(first.ending.message);
    const { parts } = first.ending;
    const messages: readonly Message[] = [
      ...stepInput().messages,
      { role: "assistant", parts },
      { role: "tool", results: resultsFor(parts) },
    ];
    const second = await drain(wired.model, stepInput({ messages }));

    expect(parts.filter(({ type }) => type !== "reasoning")).toMatchObject([
      { type: "text", text: "Asking three at once." },
      { name: "prometheus_query", arguments: { query: "up" } },
      { name: "loki_query", arguments: { query: '{app="checkout"}' } },
      { name: "tempo_traces", arguments: { query: "{}" } },
    ]);
    expect(first.ending).toMatchObject({ finish: "calls", usage: { input: 900, output: 40, cached: 0 } });
    expect(second.ending).toMatchObject({
      type: "answered",
      finish: "stop",
      parts: expect.arrayContaining([expect.objectContaining({ type: "text", text: "It is the database." })]),
    });
    const seen = wired.mock.getLastRequest()?.body as {
      messages: { role: string; tool_call_id?: string; content: unknown }[];
    };
    const results = seen.messages.filter(({ role }) => role === "tool");
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(resultsFor(parts).map(({ callId }) => callId));
    expect(JSON.stringify(results)).toContain("prometheus_query says");
    if (wire.provider === "anthropic") expect(wired.sent[1]?.split('"is_error":true')).toHaveLength(2);
  });

  test("the bytes of the system prompt and of the tool list are the same at every step, whatever the tool choice", async () => {
    await using wired = await mocked(wire);
    wired.mock.on({ hasToolResult: false }, threeCalls);
    wired.mock.on({ hasToolResult: true }, { content: "It is the database.", usage });
    const { ending } = await drain(wired.model);
    const parts = ending.type === "answered" ? ending.parts : [];
    const messages: readonly Message[] = [
      ...stepInput().messages,
      { role: "assistant", parts },
      { role: "tool", results: resultsFor(parts) },
    ];

    await drain(wired.model, stepInput({ messages, toolChoice: "none" }));
    await drain(wired.model, stepInput({ messages, toolChoice: { tool: "report" } }));

    const [first = "", second = "", third = ""] = wired.sent;
    expect(wired.sent).toHaveLength(3);
    for (const later of [second, third]) {
      expect(systemBytes(wire, later)).toBe(systemBytes(wire, first));
      expect(bytesOf(later, "tools")).toBe(bytesOf(first, "tools"));
    }
    expect(systemBytes(wire, first)).toContain(JSON.stringify(stepInput().system).slice(1, -1));
    expect(second).toMatch(/"tool_choice":("none"|\{"type":"none"\})/);
    expect(third).toMatch(/"tool_choice":\{[^}]*"report"/);
    const named = wireTools.map(({ name }) => first.indexOf(`"name":"${name}"`));
    expect(named).toEqual(named.toSorted((a, b) => a - b));
  });

  test("reasoning comes as its own part, and goes back with what the provider wants to see again", async () => {
    await using wired = await mocked(wire);
    wired.mock.on(
      { hasToolResult: false },
      { ...threeCalls, reasoning: "The pool is small.", reasoningSignature: "c2ln" },
    );
    wired.mock.on({ hasToolResult: true }, { content: "It is the database.", usage });

    const { events, ending } = await drain(wired.model);
    const parts = ending.type === "answered" ? ending.parts : [];
    const messages: readonly Message[] = [
      ...stepInput().messages,
      // Through a log, as a resumed run has it.
      JSON.parse(JSON.stringify({ role: "assistant", parts })) as Message,
      { role: "tool", results: resultsFor(parts) },
    ];
    await drain(wired.model, stepInput({ messages }));

    expect(events).toContainEqual({ type: "reasoning", delta: "The pool is small." });
    expect(parts[0]).toMatchObject({ type: "reasoning", text: "The pool is small." });
    const wanted = {
      anthropic: '{"type":"thinking","thinking":"The pool is small.","signature":"c2ln"}',
      openai: '"encrypted_content":"',
      "openai-compatible": '"reasoning_content":"The pool is small."',
      google: "",
    }[wire.provider];
    expect(wired.sent[1]).toContain(wanted);
  });

  test("an invented tool and arguments that are no object can be answered, and the conversation goes on", async () => {
    await using wired = await mocked(wire);
    wired.mock.on(
      { hasToolResult: false },
      {
        toolCalls: [
          { name: "no_such_tool", arguments: '{"a":1}' },
          { name: "loki_query", arguments: "[1]" },
        ],
        usage,
      },
    );
    wired.mock.on({ hasToolResult: true }, { content: "Sorry.", usage });

    const { ending } = await drain(wired.model);
    const parts = ending.type === "answered" ? ending.parts : [];
    const messages: readonly Message[] = [
      ...stepInput().messages,
      { role: "assistant", parts },
      { role: "tool", results: resultsFor(parts) },
    ];
    const next = await drain(wired.model, stepInput({ messages }));

    expect(parts.filter(({ type }) => type !== "reasoning")).toMatchObject([
      { type: "call", name: "no_such_tool", arguments: { a: 1 } },
      { type: "invalid-call", name: "loki_query", text: "[1]" },
    ]);
    expect(next.ending).toMatchObject({ type: "answered", finish: "stop" });
    expect(wired.sent[1]?.replaceAll("\\", "")).toContain('{"invalid_arguments":"[1]"}');
  });

  test("calls against a tool choice of none are an answer all the same: the loop decides", async () => {
    await using wired = await mocked(wire);
    wired.mock.on({}, threeCalls);

    const { ending } = await drain(wired.model, stepInput({ toolChoice: "none" }));

    expect(ending).toMatchObject({ type: "answered", finish: "calls" });
  });

  test.each([
    [429, "rate-limited", true],
    [529, "overloaded", true],
    [503, "overloaded", true],
    [500, "provider", true],
    [401, "unauthorized", false],
    [403, "unauthorized", false],
    [400, "invalid-request", false],
    [404, "invalid-request", false],
  ] as const)("a %i is %s", async (status, code, retryable) => {
    await using wired = await mocked(wire);
    const message = `refused: your key ${wireKey} is not liked`;
    wired.mock.on({}, { error: { message, type: "some_error" }, status, retryAfter: 7 });

    const { events, ending } = await drain(wired.model);

    expect(events).toHaveLength(1);
    expect(ending).toMatchObject({ type: "failed", code, retryable });
    if (status === 429) expect(ending).toHaveProperty("retryAfter", 7_000);
    const text = ending.type === "failed" ? ending.message : "";
    expect(text).toContain("refused");
    expect(text).toContain(String(status));
    expect(text).not.toContain(wireKey);
    expect(text).not.toMatch(/\n|\s+at .*:\d+/);
    expect(wired.sent).toHaveLength(1);
  });

  test("a prompt that is too long is told apart from other bad requests", async () => {
    await using wired = await mocked(wire);
    const message = "prompt is too long: 210000 tokens > 200000 maximum";
    wired.mock.on({}, { error: { message, type: "invalid_request_error" }, status: 400 });

    const { ending } = await drain(wired.model);

    expect(ending).toMatchObject({ type: "failed", code: "too-long", retryable: false });
  });

  test("a server that nobody runs is unreachable", async () => {
    const wired = await mocked(wire);
    await wired.mock.stop();

    const { ending } = await drain(wired.model);

    expect(ending).toMatchObject({ type: "failed", code: "unreachable", retryable: true });
    expect(ending).toHaveProperty("message", expect.stringContaining("ECONNREFUSED"));
  });

  test("a connection dropped in mid-answer is a cut", async () => {
    await using wired = await mocked(wire);
    wired.mock.on({}, { content: "word ".repeat(200), usage }, { chunkSize: 5, latency: 2, truncateAfterChunks: 8 });

    const { ending } = await drain(wired.model);

    expect(ending).toMatchObject({ type: "failed", code: "cut", retryable: true });
  });

  test("without the provider's count of tokens there is an estimate, never zero", async () => {
    await using wired = await mocked(wire);
    wired.mock.on(
      {},
      {
        content: "It is the database.",
        usage: { prompt_tokens: 0, completion_tokens: 0, input_tokens: 0, output_tokens: 0 },
      },
    );

    const { ending } = await drain(wired.model);

    expect(ending.usage).toMatchObject({ estimated: true, cached: 0 });
    expect(ending.usage?.input).toBeGreaterThan(50);
    expect(ending.usage?.output).toBeGreaterThan(2);
  });
});
