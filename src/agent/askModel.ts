import type { ModelEvent, StepInput } from "../model/model.ts";
import type { Ephemeral, EventBody, RunEvent } from "./events.ts";
import type { Journal } from "./journal.ts";
import type { Messages } from "./messages.ts";
import type { RunContext } from "./runContext.ts";
import type { StepTurn } from "./runState.ts";

/** Attempts at one step, the first included. */
const attempts = 5;
const longestWait = 30_000;

type Failed = Extract<ModelEvent, { type: "failed" }>;

/**
 * Asks the model for a started step, again after failures that may pass. Ends with `step.answered`, with a final notice,
 * or, once the signal is aborted, with nothing.
 */
export async function* askModel(
  journal: Journal,
  { step, toolChoice }: StepTurn,
  context: RunContext & { readonly messages: Messages },
  signal: AbortSignal,
): AsyncGenerator<RunEvent | Ephemeral> {
  const { model, tools, prompt, results, clock, budget, limits } = context;
  yield* await journal.flush();
  const messages = await context.messages(journal.state);
  const input: StepInput = { system: prompt.text, messages, tools: tools.specs, toolChoice, results, clock };

  for (let attempt = 1; ; attempt++) {
    let failure: Failed | undefined;
    try {
      using _room = await limits.acquire(`model:${model.id}`, signal);
      for await (const event of model.step(input, signal)) {
        signal.throwIfAborted();
        // A model that goes on after its end cannot be heard.
        if (event.type === "answered") return journal.add(...answered(step, event));
        if (event.type === "failed") {
          failure = event;
          break;
        }
        yield { type: "delta", kind: event.type, delta: event.delta };
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      return;
    }
    failure ??= { type: "failed", code: "cut", message: "the model ended without an answer", retryable: true };

    const wait = failure.retryAfter ?? Math.min(1000 * 2 ** (attempt - 1), longestWait);
    const timeLeft = budget.time - journal.state.active;
    if (!failure.retryable || attempt >= attempts || wait >= timeLeft) return journal.add(gaveUp(failure, attempt));
    journal.add(retrying(failure, wait));
    yield* await journal.flush();
    try {
      await clock.sleep(wait, signal);
    } catch {
      // Aborted while waiting: the loop sees the signal and ends the run.
      return;
    }
  }
}

function answered(
  step: number,
  { parts, usage, finish }: Extract<ModelEvent, { type: "answered" }>,
): readonly EventBody[] {
  const cut = finish === "length" || finish === "filtered";
  const why = finish === "length" ? "it reached the length that an answer may have" : "the provider filtered it";
  return [
    { type: "step.answered", step, parts, usage, finish },
    ...(cut
      ? [{ type: "notice", kind: "answer-cut", message: `the model's answer in step ${step} was cut: ${why}` } as const]
      : []),
  ];
}

function retrying({ code, message, usage }: Failed, wait: number): EventBody {
  const text = `the model failed (${code}: ${message}) and was asked again after ${wait / 1000}s`;
  return { type: "notice", kind: "model-retry", message: text, ...(usage ? { usage } : {}) };
}

function gaveUp({ code, message, usage }: Failed, attempt: number): EventBody {
  const tries = attempt === 1 ? "" : ` ${attempt} times`;
  return {
    type: "notice",
    kind: "model-failed",
    message: `the model failed${tries} (${code}: ${message})`,
    final: true,
    ...(usage ? { usage } : {}),
  };
}
