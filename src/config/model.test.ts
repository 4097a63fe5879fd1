import { expect, test } from "vitest";
import { ModelNameError, modelFromFlag } from "./model.ts";
import { parseConfig } from "./parseConfig.ts";

const env = { ANTHROPIC_API_KEY: "key-a", OPENAI_API_KEY: "key-o", GOOGLE_GENERATIVE_AI_API_KEY: "key-g" };
const defaults = { maxOutput: 8_192, options: {} };

test.each([
  ["anthropic/claude-x", { provider: "anthropic", name: "claude-x", apiKey: "key-a", window: 200_000 }],
  ["openai/gpt-x", { provider: "openai", name: "gpt-x", apiKey: "key-o", window: 128_000 }],
  ["google/gemini-x", { provider: "google", name: "gemini-x", apiKey: "key-g", window: 128_000 }],
  [
    "ollama/library/q:7b",
    { provider: "openai-compatible", name: "library/q:7b", baseUrl: "http://127.0.0.1:11434/v1", window: 128_000 },
  ],
])("%s means the same as a flag and in the file", (text, want) => {
  const { model } = modelFromFlag(text, env);

  expect(model).toEqual({ ...defaults, ...want });
  expect(parseConfig(`model: ${text}`, { directory: "/", env }).model).toEqual(model);
});

test("the key of the provider's usual variable is a secret", () => {
  expect(modelFromFlag("openai/x", env).secrets).toEqual([{ name: "OPENAI_API_KEY", value: "key-o" }]);
  expect(parseConfig("model: openai/x", { directory: "/", env }).secrets).toEqual([
    { name: "OPENAI_API_KEY", value: "key-o" },
  ]);
});

test("so is a key that stands in the file, which goes before the variable", () => {
  const config = parseConfig("model: { provider: openai, name: x, api_key: literal }", { directory: "/", env });

  expect(config.model?.apiKey).toBe("literal");
  expect(config.secrets).toEqual([{ name: "model.api_key", value: "literal" }]);
});

test("without a key there is none, and that is no error here", () => {
  const { model, secrets } = modelFromFlag("anthropic/x", { ANTHROPIC_API_KEY: "" });

  expect(model).not.toHaveProperty("apiKey");
  expect(secrets).toEqual([]);
});

test("runbook is no model, with the flag as in the file", () => {
  expect(modelFromFlag("runbook", env)).toEqual({ secrets: [] });
  expect(parseConfig("model: runbook", { directory: "/", env })).not.toHaveProperty("model");
});

test.each(["claude", "acme/x", "openai/", "/x", "", "openai-compatible/x"])("--model %j is refused", (text) => {
  expect(() => modelFromFlag(text, env)).toThrow(ModelNameError);
  expect(() => modelFromFlag(text, env)).toThrow(`--model ${text}: `);
});
