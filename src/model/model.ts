import type { Clock } from "../clock/clock.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { Results } from "../result/results.ts";

/** A model: scripted, rule-made or from a provider. */
export interface Model {
  /** `provider/name`, as reports and recordings name it. */
  readonly id: string;
  /** Context window, tokens. */
  readonly window: number;
  /**
   * One model call. Yields deltas, then exactly one `answered` or `failed`, and ends. Must not throw, except with the
   * signal's reason once it is aborted. Makes one attempt: retries are the loop's.
   */
  step(input: StepInput, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface StepInput {
  readonly system: string;
  readonly messages: readonly Message[];
  /** Sorted and the same for every step of a run. */
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  /** Whole redacted results: rules rank these, a language model sees the capped, wrapped text in `messages`. */
  readonly results: Results;
  readonly clock: Clock;
}

/**
 * `none` forbids calls though the list stays; a name demands that tool. Both are wishes: some servers ignore them, so an
 * answer may still hold other calls, or none.
 */
export type ToolChoice = "auto" | "none" | { readonly tool: string };

/** A tool as the model sees it. `name` matches [A-Za-z0-9_-]{1,64}. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** Ours, not an SDK's, so that a log outlives the SDK. */
export type Message =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly parts: readonly AnswerPart[] }
  | { readonly role: "tool"; readonly results: readonly ToolMessage[] };

export interface ToolMessage {
  /** The `id` of the call part that this answers. */
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

/** `provider` is opaque JSON (signatures, item ids) that the adapter wants back unchanged. */
export type AnswerPart =
  | { readonly type: "text"; readonly text: string; readonly provider?: Json }
  | { readonly type: "reasoning"; readonly text: string; readonly provider?: Json }
  | {
      readonly type: "call";
      readonly id: string;
      readonly name: string;
      readonly arguments: JsonObject;
      readonly provider?: Json;
    }
  /** A call whose arguments are no JSON object. The text is kept, so that the model can be told what it wrote. */
  | {
      readonly type: "invalid-call";
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly error: string;
      readonly provider?: Json;
    };

export interface Usage {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly output: number;
  /** Input tokens that were read from the provider's cache. */
  readonly cached: number;
  /** The provider reported none: `tokens` are our estimate. */
  readonly estimated?: boolean;
}

/** `stop` and `calls` are complete answers; `length` and `filtered` are complete but cut. */
export type Finish = "stop" | "calls" | "length" | "filtered";

export type ModelEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | {
      readonly type: "answered";
      readonly parts: readonly AnswerPart[];
      readonly usage: Usage;
      readonly finish: Finish;
    }
  | {
      readonly type: "failed";
      readonly code: ModelErrorCode;
      /** For people; holds no key. */
      readonly message: string;
      /** A later attempt may succeed: rate limits, overload, a cut stream, an unreachable host. */
      readonly retryable: boolean;
      /** What the provider asked to wait, ms. */
      readonly retryAfter?: number;
      /** What the attempt cost all the same; present once an answer had begun. */
      readonly usage?: Usage;
    };

export type ModelErrorCode =
  | "rate-limited"
  | "overloaded"
  | "cut"
  | "unreachable"
  | "unauthorized"
  | "invalid-request"
  | "too-long"
  | "provider";
