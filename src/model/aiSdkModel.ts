import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { JsonObject } from "../json/json.ts";
import type { Log } from "../log/log.ts";
import { type Redact, redactor } from "../redact/redact.ts";
import { classifyError, type ModelFailure } from "./classifyError.ts";
import { collectAnswer } from "./collectAnswer.ts";
import type { AnswerPart, Finish, Model, ModelEvent, StepInput, ToolChoice } from "./model.ts";
import { toPrompt } from "./toPrompt.ts";
import { toUsage } from "./toUsage.ts";

export interface AiSdkModelOptions {
  /** `provider/name`. */
  readonly id: string;
  /** Context window, tokens. */
  readonly window: number;
  /** Bound on the tokens of one answer. Default: the provider's own. */
  readonly maxOutput?: number;
  /** By provider name, as the AI SDK has it. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
  /** A stream that brings nothing for this long is cut, ms. Default 120,000. */
  readonly stallTimeout?: number;
  /** Over error messages, which may repeat a key. */
  readonly redact?: Redact;
  /** Hears what the provider does not support, once each. */
  readonly log?: Log;
}

/** Time to close a stream whose finish has come, ms; only then can its connection serve the next step. */
const closing = 1_000;

/**
 * A `Model` over one model object of the AI SDK. It calls `doStream`, the provider's own interface, and not
 * `streamText`: that one costs 0.5 to 4 ms a step where this costs 0.03, hides the text of invalid arguments, turns an
 * ignored tool choice into an error, and takes model names that go to a gateway on the internet.
 */
export function aiSdkModel(model: LanguageModelV4, options: AiSdkModelOptions): Model {
  const { id, window, log, redact = redactor([]), stallTimeout = 120_000 } = options;
  const warned = new Set<string>();

  function warn(warnings: Extract<LanguageModelV4StreamPart, { type: "stream-start" }>["warnings"]): void {
    for (const warning of warnings.map((warning) => JSON.stringify(warning))) {
      if (warned.has(warning)) continue;
      warned.add(warning);
      log?.warn({ model: id, warning: redact(warning) }, "the model's provider does not do all that was asked");
    }
  }

  async function* step(input: StepInput, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const request = new AbortController();
    const linked = AbortSignal.any([signal, request.signal]);
    const ended = new Promise<never>((_, reject) => {
      linked.addEventListener("abort", () => reject(linked.reason as Error), { once: true });
    });
    ended.catch(() => {
      // Every wait below races this; when none is running, nobody has to hear it.
    });
    /** A provider that does not heed its signal must not hold up an abort. The time is a socket's, so not the clock's. */
    async function within<T>(ms: number, wait: PromiseLike<T>): Promise<T> {
      const timer = setTimeout(() => request.abort(new Error(`nothing came for ${ms / 1000} s`)), ms);
      return Promise.race([ended, wait]).finally(() => clearTimeout(timer));
    }

    const answer = collectAnswer();
    let streaming = false;
    let finish: Extract<LanguageModelV4StreamPart, { type: "finish" }> | undefined;
    let failure: ModelFailure | undefined;
    try {
      const { stream } = await within(stallTimeout, model.doStream(toCall(input, options, linked)));
      streaming = true;
      const reader = stream.getReader();
      while (!failure) {
        const { done, value: part } = await within(finish ? closing : stallTimeout, reader.read());
        if (done) break;
        answer.add(part);
        if (part.type === "text-delta" && part.delta) yield { type: "text", delta: part.delta };
        else if (part.type === "reasoning-delta" && part.delta) yield { type: "reasoning", delta: part.delta };
        else if (part.type === "stream-start") warn(part.warnings);
        else if (part.type === "finish") finish = part;
        else if (part.type === "error") failure = classifyError(part.error, { now: input.clock.now(), streaming });
      }
    } catch (error) {
      // What goes wrong after the finish goes wrong after the answer.
      if (!finish) failure = classifyError(error, { now: input.clock.now(), streaming: streaming || linked.aborted });
    } finally {
      request.abort();
    }
    signal.throwIfAborted();

    const reason = finish?.finishReason;
    const parts = answer.parts({ cutShort: reason?.unified === "length" });
    failure ??= incomplete(reason);
    if (!failure)
      yield { type: "answered", parts, usage: toUsage(finish?.usage, input, parts), finish: ending(reason, parts) };
    else {
      const usage = parts.length > 0 && { usage: toUsage(finish?.usage, input, parts) };
      yield { type: "failed", ...failure, message: redact(failure.message), ...usage };
    }
  }

  return { id, window, step };
}

function toCall(
  { system, messages, tools, toolChoice }: StepInput,
  { maxOutput, providerOptions }: AiSdkModelOptions,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  return {
    prompt: toPrompt(system, messages),
    abortSignal,
    // Every event of the wire then counts as a sign of life, pings included.
    includeRawChunks: true,
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        name,
        description,
        inputSchema,
      })),
      toolChoice: toToolChoice(toolChoice),
    }),
    ...(maxOutput !== undefined && { maxOutputTokens: maxOutput }),
    ...(providerOptions && { providerOptions }),
  };
}

function toToolChoice(choice: ToolChoice): NonNullable<LanguageModelV4CallOptions["toolChoice"]> {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.tool };
}

/** Only four reasons complete an answer; all others, and none at all, are faces of a stream that was cut. */
function incomplete(reason: LanguageModelV4FinishReason | undefined): ModelFailure | undefined {
  switch (reason?.unified) {
    case "stop":
    case "tool-calls":
    case "length":
    case "content-filter":
      return undefined;
    default: {
      const raw = reason?.raw ?? "no reason given";
      return { code: "cut", retryable: true, message: `the answer ended early: ${raw}` };
    }
  }
}

/** Servers call an answer with calls `stop`, and one without `tool-calls`: the parts know. */
function ending(reason: LanguageModelV4FinishReason | undefined, parts: readonly AnswerPart[]): Finish {
  if (reason?.unified === "length") return "length";
  if (reason?.unified === "content-filter") return "filtered";
  return parts.some(({ type }) => type === "call" || type === "invalid-call") ? "calls" : "stop";
}
