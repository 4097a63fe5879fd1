import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { expect, test } from "vitest";
import { drain, stepInput } from "../../test/wire/stepInput.ts";
import { memoryLog } from "../log/log.ts";
import { aiSdkModel } from "./aiSdkModel.ts";

/** A model object of the AI SDK without any wire. */
function modelOf(doStream: LanguageModelV4["doStream"]): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "test",
    modelId: "test",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not asked for")),
    doStream,
  };
}

type Ending = "close" | "error" | "hang";

function streaming(parts: readonly LanguageModelV4StreamPart[], then: Ending = "close"): LanguageModelV4 {
  return modelOf(async () => ({
    stream: new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        if (then === "close") controller.close();
      },
      pull(controller) {
        if (then === "error") controller.error(new TypeError("terminated"));
      },
    }),
  }));
}

const options = { id: "test/test", window: 1_000 };
const usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};
const finish: LanguageModelV4StreamPart = { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } };
const text: readonly LanguageModelV4StreamPart[] = [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: "Yes" },
  { type: "text-end", id: "0" },
];

test("input tokens include the cached ones, which are also told apart", async () => {
  const { ending } = await drain(aiSdkModel(streaming([...text, finish]), options));

  expect(ending).toEqual({
    type: "answered",
    parts: [{ type: "text", text: "Yes" }],
    usage: { input: 10, output: 2, cached: 6 },
    finish: "stop",
  });
});

test.each(["error", "hang"] as const)(
  "what goes wrong after the finish (%s) does not undo the answer",
  async (then) => {
    const { ending } = await drain(aiSdkModel(streaming([...text, finish], then), options));

    expect(ending).toMatchObject({ type: "answered", finish: "stop" });
  },
);

test("blocks that reuse an id stay apart, and each keeps the last thing that the provider said about it", async () => {
  const parts: readonly LanguageModelV4StreamPart[] = [
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "a" },
    { type: "reasoning-delta", id: "0", delta: "", providerMetadata: { p: { signature: "s1", gone: undefined } } },
    { type: "reasoning-end", id: "0" },
    ...text,
    { type: "reasoning-start", id: "0", providerMetadata: { p: { redactedData: "r" } } },
    { type: "reasoning-end", id: "0" },
    { type: "tool-call", toolCallId: "1", toolName: "a", input: "{}", providerMetadata: { p: { thought: "t" } } },
    ...text,
    finish,
  ];

  const { events, ending } = await drain(aiSdkModel(streaming(parts), options));

  expect(ending).toMatchObject({
    finish: "calls",
    parts: [
      { type: "reasoning", text: "a", provider: { p: { signature: "s1" } } },
      { type: "text", text: "Yes" },
      { type: "reasoning", text: "", provider: { p: { redactedData: "r" } } },
      { type: "call", id: "1", name: "a", arguments: {}, provider: { p: { thought: "t" } } },
      { type: "text", text: "Yes" },
    ],
  });
  expect(events).not.toContainEqual(expect.objectContaining({ delta: "" }));
});

test.each([
  ["throws", () => Promise.reject(new Error("secret-key is wrong"))],
  [
    "throws at once",
    () => {
      throw new Error("secret-key is wrong");
    },
  ],
])("a model that %s is a failure, without what must not be said", async (_, doStream) => {
  const model = aiSdkModel(modelOf(doStream), {
    ...options,
    redact: (value) => String(value).replaceAll("secret-key", "[redacted]") as never,
  });

  const { events } = await drain(model);

  expect(events).toEqual([{ type: "failed", code: "provider", message: "[redacted] is wrong", retryable: false }]);
});

test("a model that does not heed its signal does not hold up an abort", async () => {
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error("enough")), 20);

  const deaf = drain(
    aiSdkModel(
      modelOf(() => new Promise(() => undefined)),
      options,
    ),
    stepInput(),
    abort.signal,
  );

  await expect(deaf).rejects.toThrow("enough");
});

test("a step that was aborted before asks nobody", async () => {
  let asked = 0;
  const model = aiSdkModel(
    modelOf(async () => {
      asked++;
      return { stream: new ReadableStream() };
    }),
    options,
  );

  await expect(drain(model, stepInput(), AbortSignal.abort(new Error("before")))).rejects.toThrow("before");

  expect(asked).toBe(0);
});

test("a consumer that stops listening ends the request", async () => {
  let call: LanguageModelV4CallOptions | undefined;
  const source = streaming(text, "hang");
  const model = aiSdkModel(
    modelOf(async (given) => {
      call = given;
      return await source.doStream(given);
    }),
    options,
  );

  for await (const _ of model.step(stepInput(), new AbortController().signal)) break;

  expect(call?.abortSignal?.aborted).toBe(true);
});

test("what the provider does not support is told once", async () => {
  const log = memoryLog();
  const start: LanguageModelV4StreamPart = {
    type: "stream-start",
    warnings: [{ type: "unsupported", feature: "topK" }],
  };
  const model = aiSdkModel(streaming([start, ...text, finish]), { ...options, log });

  await drain(model);
  await drain(model);

  expect(log.lines).toMatchObject([{ level: "warn", model: "test/test", warning: expect.stringContaining("topK") }]);
});

test("whatever a provider streams, a step ends exactly once, and throws only when it is aborted", async () => {
  const id = fc.constantFrom("0", "1");
  const provider = fc.constantFrom({}, { providerMetadata: { p: { x: 1 } } });
  const part: fc.Arbitrary<LanguageModelV4StreamPart> = fc.oneof(
    fc.record({ type: fc.constantFrom("text-start", "text-end", "reasoning-start", "reasoning-end"), id }),
    fc
      .tuple(fc.constantFrom("text-delta", "reasoning-delta"), id, fc.string(), provider)
      .map(([type, id, delta, more]) => ({ type, id, delta, ...more })),
    fc.record({
      type: fc.constant("tool-call"),
      toolCallId: id,
      toolName: fc.string(),
      input: fc.oneof(fc.string(), fc.json()),
    }),
    fc.record({ type: fc.constant("error"), error: fc.anything() }),
    fc.record({
      type: fc.constant("finish"),
      usage: fc.constantFrom(usage, { inputTokens: {}, outputTokens: {} }),
      finishReason: fc.record({
        unified: fc.constantFrom("stop", "length", "content-filter", "tool-calls", "error", "interrupted", "other"),
        raw: fc.option(fc.string(), { nil: undefined }),
      }),
    }),
    fc.record({ type: fc.constantFrom("ping", "raw", "source", "never heard of") }),
  ) as fc.Arbitrary<LanguageModelV4StreamPart>;

  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 12 }),
      fc.constantFrom<Ending>("close", "error"),
      async (parts, then) => {
        const { ending } = await drain(aiSdkModel(streaming(parts, then), options));
        if (ending.type === "answered") expect(JSON.parse(JSON.stringify(ending))).toEqual(ending);
        else expect(ending.message).not.toMatch(/\n/);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([-1_000_000_000, 1e308])("a usage of %d tokens counts as none said, and is estimated", async (total) => {
  const said = { inputTokens: { ...usage.inputTokens, total }, outputTokens: { ...usage.outputTokens, total } };

  const { ending } = await drain(aiSdkModel(streaming([...text, { ...finish, usage: said }]), options));

  expect(ending).toMatchObject({ type: "answered", usage: { estimated: true } });
  if (ending?.type !== "answered") return;
  expect(ending.usage.input + ending.usage.output).toBeGreaterThan(0);
  expect(ending.usage.input + ending.usage.output).toBeLessThan(1000);
});

test("an answer without end is cut off", async () => {
  const delta = "x".repeat(1024 * 1024);
  const endless = modelOf(async () => ({
    stream: new ReadableStream({ pull: (controller) => controller.enqueue({ type: "text-delta", id: "0", delta }) }),
  }));

  const { ending } = await drain(aiSdkModel(endless, options));

  expect(ending).toMatchObject({
    type: "failed",
    code: "cut",
    message: expect.stringContaining("16777216 characters"),
  });
});

test("arguments nested a hundred thousand deep are no object that anything could work with", async () => {
  const input = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const call: LanguageModelV4StreamPart = { type: "tool-call", toolCallId: "1", toolName: "look", input };

  const { ending } = await drain(aiSdkModel(streaming([call, finish]), options));

  expect(ending).toMatchObject({ parts: [{ type: "invalid-call", error: "the arguments are nested too deep" }] });
});
