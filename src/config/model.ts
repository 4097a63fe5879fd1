import type { JsonObject } from "../json/json.ts";
import type { Secret } from "../redact/redact.ts";
import type { ModelConfig } from "./config.ts";
import type { Environment } from "./expandVariables.ts";

/** How people name a provider. `ollama` is an OpenAI-compatible endpoint on this machine. */
export const providers = ["anthropic", "openai", "google", "openai-compatible", "ollama"] as const;
type ProviderName = (typeof providers)[number];

/** A model as the configuration writes it, checked. */
export interface ModelInput {
  readonly provider: ProviderName;
  readonly name: string;
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  readonly window?: number | undefined;
  readonly max_output?: number | undefined;
  readonly price?: { readonly input: number; readonly output: number } | undefined;
  readonly options?: JsonObject | undefined;
}

/** Where a provider's key usually is; the others need none. */
export const keyVariables: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
};

/** What a model's name, as people write it, stands for. */
export type ModelName =
  | { readonly kind: "provider"; readonly provider: ProviderName; readonly name: string }
  /** No model at all: the queries of the skills are followed. The default. */
  | { readonly kind: "runbook" }
  | { readonly kind: "wrong"; readonly message: string };

/** `provider/name`, where the name may hold slashes of its own, or `runbook`. */
export function readModelName(text: string): ModelName {
  if (text === "runbook") return { kind: "runbook" };
  const wrong = (message: string): ModelName => ({ kind: "wrong", message });
  const slash = text.indexOf("/");
  const provider = providers.find((known) => known === text.slice(0, slash));
  const name = text.slice(slash + 1);
  if (slash < 0 || name === "") return wrong("expected provider/name, as anthropic/claude-x, or runbook");
  if (provider === undefined) return wrong(`unknown provider, expected one of ${providers.join(", ")}`);
  if (provider === "openai-compatible")
    return wrong("openai-compatible needs a base_url: write model as { provider, name, base_url }");
  return { kind: "provider", provider, name };
}

/**
 * Fills in what was left out: window, bound on the answer, Ollama's address, and the API key from the provider's usual
 * environment variable. No key is no error here: some endpoints need none, and the model says so when it is made.
 */
export function resolveModel(
  input: ModelInput,
  environment: Environment,
): { model: ModelConfig; secrets: readonly Secret[] } {
  const { provider: given, name, base_url: url, window, max_output: maxOutput, price, options } = input;
  const provider = given === "ollama" ? "openai-compatible" : given;
  const baseUrl = url ?? (given === "ollama" ? "http://127.0.0.1:11434/v1" : undefined);
  const variable = keyVariables[given];
  const fromVariable = variable === undefined ? undefined : environment[variable] || undefined;
  const apiKey = input.api_key ?? fromVariable;
  const keyName = input.api_key === undefined && variable !== undefined ? variable : "model.api_key";

  const model: ModelConfig = {
    provider,
    name,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    window: window ?? (provider === "anthropic" ? 200_000 : 128_000),
    maxOutput: maxOutput ?? 8_192,
    ...(price && { price }),
    options: options ?? {},
  };
  return { model, secrets: apiKey === undefined ? [] : [{ name: keyName, value: apiKey }] };
}

/** The model that `--model provider/name` means; none with `--model runbook`. Throws `ModelNameError`. */
export function modelFromFlag(
  text: string,
  environment: Environment,
): { model?: ModelConfig; secrets: readonly Secret[] } {
  const read = readModelName(text);
  if (read.kind === "provider") return resolveModel(read, environment);
  if (read.kind === "runbook") return { secrets: [] };
  throw new ModelNameError(`--model ${text}: ${read.message}`);
}

/** A model that the command line names and that is none. */
export class ModelNameError extends Error {
  override readonly name = "ModelNameError";
  readonly code = "model-name";
}
