import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelConfig } from "../config/config.ts";
import { keyVariables } from "../config/model.ts";
import type { JsonObject } from "../json/json.ts";
import type { Log } from "../log/log.ts";
import { boundedFetch } from "../net/boundedFetch.ts";
import type { Secret } from "../redact/redact.ts";
import { redactor } from "../redact/redact.ts";
import { aiSdkModel } from "./aiSdkModel.ts";
import type { Model } from "./model.ts";
import { sameHostFetch } from "./sameHostFetch.ts";

export interface CreateModelOptions {
  /** What no error message may hold, the model's own key or not; the key has its name here. */
  readonly secrets?: readonly Secret[];
  /** Default: the global one. Tests read raw bytes here. */
  readonly fetch?: typeof globalThis.fetch;
  /** ms; default 120,000. */
  readonly stallTimeout?: number;
  readonly log?: Log;
}

export type ModelConfigErrorCode = "missing-key" | "missing-base-url";

/** The `model` section lacks something that its provider needs. */
export class ModelConfigError extends Error {
  override readonly name = "ModelConfigError";
  readonly code: ModelConfigErrorCode;

  constructor(code: ModelConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Bound on one event of a stream, and on a body that is no stream, bytes. */
const longestEvent = 32 * 1024 * 1024;

/**
 * The model that the configuration names. The provider's package is loaded only now, so a start without a model does
 * not pay for it. Makes no request. Throws a `ModelConfigError` when a key or an address is missing.
 */
export async function createModel(config: ModelConfig, options: CreateModelOptions = {}): Promise<Model> {
  const { apiKey } = config;
  const variable = keyVariables[config.provider];
  if (!apiKey && variable !== undefined) {
    throw new ModelConfigError(
      "missing-key",
      `model ${config.provider}/${config.name} needs a key: set the environment variable ${variable}, or model.api_key in the configuration`,
    );
  }
  const { stallTimeout, log, secrets = [] } = options;
  const key: Secret | undefined = apiKey
    ? (secrets.find(({ value }) => value === apiKey) ?? { name: "model.api_key", value: apiKey })
    : undefined;
  return aiSdkModel(await provider(config, options.fetch), {
    id: `${config.provider}/${config.name}`,
    window: config.window,
    maxOutput: config.maxOutput,
    providerOptions: providerOptions(config),
    redact: redactor(key ? [...secrets, key] : secrets),
    keyName: key?.name ?? "none was sent, set model.api_key",
    ...(stallTimeout !== undefined && { stallTimeout }),
    ...(log && { log }),
  });
}

async function provider(
  { provider, name, baseUrl: baseURL, apiKey }: ModelConfig,
  given: typeof globalThis.fetch | undefined,
): Promise<LanguageModelV4> {
  const fetch = boundedFetch(longestEvent, sameHostFetch(given));
  const settings = { ...(baseURL && { baseURL }), ...(apiKey && { apiKey }), fetch };
  switch (provider) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(settings)(name);
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(settings).responses(name);
    case "google":
      return (await import("@ai-sdk/google")).createGoogleGenerativeAI(settings)(name);
    case "openai-compatible": {
      if (!baseURL) {
        throw new ModelConfigError(
          "missing-base-url",
          `model openai-compatible/${name} needs an address: set model.base_url in the configuration, such as http://localhost:11434/v1`,
        );
      }
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ ...settings, baseURL, name: "openaiCompatible", includeUsage: true })(name);
    }
  }
}

function providerOptions({ provider, options }: ModelConfig): Readonly<Record<string, JsonObject>> {
  switch (provider) {
    case "openai":
      // The conversation is ours to keep, so that it can be resumed anywhere and is stored nowhere else.
      return { openai: { ...options, store: false } };
    case "openai-compatible":
      return { openaiCompatible: options };
    default:
      return { [provider]: options };
  }
}
