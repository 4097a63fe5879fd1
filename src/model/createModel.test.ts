import { LLMock } from "@copilotkit/aimock";
import { expect, test } from "vitest";
import { rawServer } from "../../test/wire/rawServer.ts";
import { drain, stepInput } from "../../test/wire/stepInput.ts";
import type { ModelConfig } from "../config/config.ts";
import { createModel, ModelConfigError } from "./createModel.ts";

function config(fields: Partial<ModelConfig>): ModelConfig {
  return { provider: "anthropic", name: "some-model", window: 200_000, maxOutput: 4_096, options: {}, ...fields };
}

/** A `fetch` that answers 500, and the requests that it was given. */
function recorder() {
  const requests: { url: string; headers: Headers; body: Record<string, unknown> }[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    requests.push({
      url: url instanceof Request ? url.url : String(url),
      headers: new Headers(init?.headers),
      body: JSON.parse(init?.body as string) as Record<string, unknown>,
    });
    return new Response("{}", { status: 500 });
  };
  return { requests, fetch };
}

test.each([
  ["anthropic", "ANTHROPIC_API_KEY"],
  ["openai", "OPENAI_API_KEY"],
  ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
] as const)("%s without a key names the variable %s and the configuration's own key", async (provider, variable) => {
  const creating = createModel(config({ provider }));

  await expect(creating).rejects.toThrow(ModelConfigError);
  await expect(creating).rejects.toMatchObject({ code: "missing-key" });
  await expect(creating).rejects.toThrow(variable);
  await expect(creating).rejects.toThrow("model.api_key");
});

test("an OpenAI-compatible model needs an address and no key", async () => {
  const provider = "openai-compatible";

  await expect(createModel(config({ provider }))).rejects.toMatchObject({ code: "missing-base-url" });
  const model = await createModel(config({ provider, baseUrl: "http://127.0.0.1:1/v1" }));

  expect(model).toMatchObject({ id: "openai-compatible/some-model", window: 200_000 });
});

test("no secret of the configuration stands in an error, and a refused key is named as there", async () => {
  const message = "no-such-key: the-key, asked at /tenants/t0p-s3cret/v1";
  const fetch = async () => Response.json({ error: { message } }, { status: 401 });
  const secrets = [
    { name: "TENANT", value: "t0p-s3cret" },
    { name: "MY_KEY", value: "the-key" },
  ];
  const baseUrl = "http://gateway.test/tenants/t0p-s3cret/v1";

  const named = await drain(await createModel(config({ baseUrl, apiKey: "the-key" }), { fetch, secrets }));
  const unnamed = await drain(await createModel(config({ baseUrl, apiKey: "the-key" }), { fetch }));

  expect(named.ending).toMatchObject({
    message:
      "gateway.test answered 401: no-such-key: [redacted:MY_KEY], asked at /tenants/[redacted:TENANT]/v1 (key: MY_KEY)",
  });
  expect(JSON.stringify(unnamed.ending)).toContain("[redacted:model.api_key]");
});

test.each([
  ["anthropic", "/messages", "x-api-key", "the-key"],
  ["openai", "/responses", "authorization", "Bearer the-key"],
  ["openai-compatible", "/chat/completions", "authorization", "Bearer the-key"],
  ["google", "/models/some-model:streamGenerateContent?alt=sse", "x-goog-api-key", "the-key"],
] as const)("%s is asked at the base URL, with the key in its header only", async (provider, path, header, value) => {
  const { requests, fetch } = recorder();
  const model = await createModel(config({ provider, baseUrl: "http://gateway.test/prefix", apiKey: "the-key" }), {
    fetch,
  });

  await drain(model);

  expect(requests).toHaveLength(1);
  expect(requests[0]?.url).toBe(`http://gateway.test/prefix${path}`);
  expect(requests[0]?.headers.get(header)).toBe(value);
  expect(JSON.stringify(requests[0]?.body)).not.toContain("the-key");
});

test("options of the configuration reach the wire, and OpenAI is never asked to store the conversation", async () => {
  const { requests, fetch } = recorder();
  const common = { apiKey: "k", baseUrl: "http://gateway.test/v1" };
  const models = [
    config({ ...common, provider: "openai", name: "gpt-5", options: { reasoningEffort: "low", store: true } }),
    config({ ...common, provider: "openai-compatible", options: { temperature: 0.1, keep_alive: "1h" } }),
    config({ ...common, options: { effort: "low" }, name: "claude-opus-4-5" }),
  ];

  for (const each of models) await drain(await createModel(each, { fetch }));

  const [openai, compatible, anthropic] = requests.map(({ body }) => body);
  expect(openai).toMatchObject({ store: false, reasoning: { effort: "low" }, max_output_tokens: 4_096 });
  expect(openai).toMatchObject({ include: ["reasoning.encrypted_content"] });
  expect(compatible).toMatchObject({ keep_alive: "1h", temperature: 0.1, stream_options: { include_usage: true } });
  expect(anthropic).toMatchObject({ output_config: { effort: "low" }, max_tokens: 4_096 });
});

test("Anthropic is told to cache up to the end of the system prompt and of the conversation", async () => {
  const { requests, fetch } = recorder();
  const model = await createModel(config({ apiKey: "k", baseUrl: "http://gateway.test/v1" }), { fetch });

  await drain(model);

  const { system, messages } = requests[0]?.body ?? {};
  const cache_control = { type: "ephemeral" };
  expect(system).toEqual([{ type: "text", text: stepInput().system, cache_control }]);
  expect(messages).toEqual([
    { role: "user", content: [{ type: "text", text: "why is checkout slow?", cache_control }] },
  ]);
});

test("Google's wire gives calls and takes their results", async () => {
  const mock = await LLMock.create({ port: 0, host: "127.0.0.1" });
  await using _ = { [Symbol.asyncDispose]: () => mock.stop() };
  const usage = { promptTokenCount: 90, candidatesTokenCount: 4 };
  mock.on(
    { hasToolResult: false },
    { toolCalls: [{ name: "loki_query", arguments: '{"query":"x"}' }], usage, finishReason: "stop" },
  );
  mock.on({ hasToolResult: true }, { content: "It is the database.", usage });
  const model = await createModel(
    config({ provider: "google", apiKey: "k", baseUrl: `${mock.url}/v1beta`, name: "gemini-2.5-pro" }),
  );

  const { ending } = await drain(model);
  const parts = ending.type === "answered" ? ending.parts : [];
  const results = parts.flatMap((part) =>
    part.type === "call" ? [{ callId: part.id, name: part.name, text: "42", isError: false }] : [],
  );
  const next = await drain(
    model,
    stepInput({ messages: [...stepInput().messages, { role: "assistant", parts }, { role: "tool", results }] }),
  );

  expect(ending).toMatchObject({
    finish: "calls",
    parts: [{ type: "call", name: "loki_query", arguments: { query: "x" } }],
    usage: { input: 90, output: 4 },
  });
  expect(next.ending).toMatchObject({ type: "answered", parts: [{ type: "text", text: "It is the database." }] });
});

test.each(["anthropic", "openai", "openai-compatible", "google"] as const)(
  "neither key nor conversation follows %s to another host",
  async (provider) => {
    let asked = 0;
    await using other = await rawServer(() => {
      asked++;
      return {};
    });
    await using server = await rawServer(() => ({ status: 307, headers: { location: `${other.url}/x` } }));
    const model = await createModel(config({ provider, baseUrl: server.url, apiKey: "the-key" }));

    const { ending } = await drain(model);

    expect(ending).toMatchObject({ type: "failed", retryable: false, message: expect.stringContaining(other.url) });
    expect(asked).toBe(0);
  },
);
