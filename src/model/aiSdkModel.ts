import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Log } from "../log/log.ts";
import { type Redact, redactor } from "../redact/redact.ts";
import { classifyError, type ModelFailure } from "./classifyError.ts";
import { collectAnswer } from "./collectAnswer.ts";
import type { Model, ModelEvent, StepInput } from "./model.ts";
import { openRequest } from "./openRequest.ts";
import { type CallSettings, toCallOptions } from "./toCallOptions.ts";
import { toFinish } from "./toFinish.ts";
import { toUsage } from "./toUsage.ts";

export interface AiSdkModelOptions extends CallSettings {
  /** `provider/name`. */
  readonly id: string;
  /** Context window, tokens. */
  readonly window: number;
  /** A stream that brings nothing for this long is cut, ms. Default 120,000. */
  readonly stallTimeout?: number;
  /** Over error messages, which may repeat a key. */
  readonly redact?: Redact;
  /** Where the key comes from, for the message when it is refused. */
  readonly keyName?: string;
  /** Hears what the provider does not support, once each. */
  readonly log?: Log;
}

type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;
type StartPart = Extract<LanguageModelV4StreamPart, { type: "stream-start" }>;

/** No model writes as much in one step: one that goes on would fill the memory, characters. */
const longestAnswer = 16 * 1024 * 1024;
/** Time to close a stream whose finish has come, ms; only then can its connection serve the next step. */
const closing = 1_000;

/**
 * A `Model` over one model object of the AI SDK. It calls `doStream`, the provider's own interface, and not
 * `streamText`: that one costs 0.5 to 4 ms a step where all of this costs 0.1 to 0.4, hides the text of arguments that
 * are no JSON, turns an ignored tool choice into an error, and takes model names that go to a gateway on the internet.
 */
export function aiSdkModel(model: LanguageModelV4, options: AiSdkModelOptions): Model {
  const { id, window, keyName, redact = redactor([]), stallTimeout = 120_000 } = options;
  const warn = warner(options, redact);

  async function* step(input: StepInput, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    using request = openRequest(signal);
    const answer = collectAnswer();
    let streaming = false;
    let length = 0;
    let finish: FinishPart | undefined;
    let failure: ModelFailure | undefined;
    try {
      const call = { ...toCallOptions(input, options), abortSignal: request.signal };
      const { stream } = await request.within(stallTimeout, model.doStream(call));
      streaming = true;
      const reader = stream.getReader();
      while (!failure) {
        const { done, value: part } = await request.within(finish ? closing : stallTimeout, reader.read());
        if (done) break;
        if ("delta" in part) length += part.delta.length;
        if (length > longestAnswer) throw new Error(`the answer has more than ${longestAnswer} characters`);
        answer.add(part);
        if (part.type === "text-delta" && part.delta) yield { type: "text", delta: part.delta };
        if (part.type === "reasoning-delta" && part.delta) yield { type: "reasoning", delta: part.delta };
        if (part.type === "stream-start") warn(part);
        if (part.type === "finish") finish = part;
        // After the finish, what goes wrong goes wrong after the answer: here and below.
        if (part.type === "error" && !finish)
          failure = classifyError(part.error, { now: input.clock.now(), streaming, redact });
      }
    } catch (error) {
      streaming ||= request.signal.aborted;
      if (!finish) failure = classifyError(error, { now: input.clock.now(), streaming, redact });
    }
    signal.throwIfAborted();

    const reason = finish?.finishReason;
    const parts = answer.parts({ cutShort: reason?.unified === "length" });
    const end = toFinish(reason?.unified, parts);
    // Not before it is needed: an estimate reads the whole conversation.
    const usage = () => toUsage(finish?.usage, input, parts);
    if (end && !failure) {
      yield { type: "answered", parts, usage: usage(), finish: end };
      return;
    }
    failure ??= {
      code: "cut",
      retryable: true,
      message: redact(`the answer ended early: ${reason?.raw ?? "no reason given"}`),
    };
    const hint = failure.code === "unauthorized" && keyName !== undefined ? ` (key: ${keyName})` : "";
    yield { type: "failed", ...failure, message: failure.message + hint, ...(parts.length > 0 && { usage: usage() }) };
  }

  return { id, window, step };
}

function warner({ id, log }: AiSdkModelOptions, redact: Redact): (part: StartPart) => void {
  const said = new Set<string>();
  return ({ warnings }) => {
    for (const warning of warnings.map((warning) => JSON.stringify(warning))) {
      if (said.has(warning)) continue;
      said.add(warning);
      log?.warn({ model: id, warning: redact(warning) }, "the model's provider does not do all that was asked");
    }
  };
}
