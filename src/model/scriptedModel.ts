import type { JsonObject } from "../json/json.ts";
import type { AnswerPart, Finish, Model, ModelErrorCode, ModelEvent, StepInput, Usage } from "./model.ts";

/** What a scripted model says in one step. */
export type ScriptedAnswer = ScriptedSpeech | ScriptedFailure;

interface Timed {
  /** Wait before answering, ms of the step's clock; `Infinity` hangs until the step is aborted. */
  readonly delay?: number;
}

interface ScriptedSpeech extends Timed {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: zero. */
  readonly usage?: Partial<Usage>;
  /** Default: `calls` when there are any, else `stop`. */
  readonly finish?: Finish;
}

interface ScriptedCall {
  readonly name: string;
  /** A string stands for arguments that are no JSON object. Default: none. */
  readonly arguments?: JsonObject | string;
  /** Default: `call-STEP-INDEX`. */
  readonly id?: string;
}

interface ScriptedFailure extends Timed {
  readonly failed: ModelErrorCode;
  readonly message?: string;
  /** Default: what that code usually means. */
  readonly retryable?: boolean;
  readonly retryAfter?: number;
  readonly usage?: Usage;
}

type ScriptedSteps =
  | readonly ScriptedAnswer[]
  | ((input: StepInput, step: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

export interface ScriptedModelOptions {
  /** Default `scripted/model`. */
  readonly id?: string;
  /** Default 200,000 tokens. */
  readonly window?: number;
  /** Answers in order, or a function of what the model sees and the number of the attempt, from 0. */
  readonly steps: ScriptedSteps;
}

/**
 * A `Model` that says what a script says, for tests and for measuring the loop alone. A script that has ended, or that
 * throws, is a failure that cannot be retried.
 */
export function scriptedModel({ id = "scripted/model", window = 200_000, steps }: ScriptedModelOptions): Model {
  let attempts = 0;
  return {
    id,
    window,
    async *step(input, signal) {
      signal.throwIfAborted();
      const number = attempts++;
      const answer = await said(steps, input, number);
      signal.throwIfAborted();
      if (answer.delay !== undefined) await wait(answer.delay, input, signal);
      if ("failed" in answer) yield failure(answer);
      else yield* speech(answer, number);
    },
  };
}

async function said(steps: ScriptedSteps, input: StepInput, number: number): Promise<ScriptedAnswer> {
  if (typeof steps !== "function") {
    return steps[number] ?? { failed: "invalid-request", message: `the script has no step ${number}` };
  }
  try {
    return await steps(input, number);
  } catch (error) {
    return { failed: "invalid-request", message: `the script threw at step ${number}: ${String(error)}` };
  }
}

async function wait(delay: number, { clock }: StepInput, signal: AbortSignal): Promise<void> {
  if (delay !== Infinity) return clock.sleep(delay, signal);
  await new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

function* speech(answer: ScriptedSpeech, step: number): Iterable<ModelEvent> {
  const { reasoning, text, calls = [] } = answer;
  const parts: AnswerPart[] = [];
  if (reasoning !== undefined) {
    yield { type: "reasoning", delta: reasoning };
    parts.push({ type: "reasoning", text: reasoning });
  }
  if (text !== undefined) {
    yield { type: "text", delta: text };
    parts.push({ type: "text", text });
  }
  parts.push(...calls.map((call, index) => callPart(call, `call-${step}-${index}`)));
  yield {
    type: "answered",
    parts,
    usage: { input: 0, output: 0, cached: 0, ...answer.usage },
    finish: answer.finish ?? (calls.length > 0 ? "calls" : "stop"),
  };
}

function callPart({ name, arguments: args = {}, id }: ScriptedCall, defaultId: string): AnswerPart {
  const call = { id: id ?? defaultId, name };
  if (typeof args !== "string") return { type: "call", ...call, arguments: args };
  return { type: "invalid-call", ...call, text: args, error: "the arguments are not a JSON object" };
}

const usuallyRetryable: ReadonlySet<ModelErrorCode> = new Set([
  "rate-limited",
  "overloaded",
  "cut",
  "unreachable",
  "provider",
]);

function failure(answer: ScriptedFailure): ModelEvent {
  const { failed: code, message = `scripted: ${code}`, retryable = usuallyRetryable.has(code) } = answer;
  return {
    type: "failed",
    code,
    message,
    retryable,
    ...(answer.retryAfter !== undefined && { retryAfter: answer.retryAfter }),
    ...(answer.usage !== undefined && { usage: answer.usage }),
  };
}
