import type { CallFinished, RunEvent } from "./events.ts";
import { type ExecuteContext, executeCall, interrupted } from "./executeCall.ts";
import type { Journal } from "./journal.ts";
import type { RunContext } from "./runContext.ts";
import { type CallState, callsOfStep, stepsOf } from "./runState.ts";

/**
 * Finishes the open calls of the last step, all in parallel. A call is marked as started before it is made. One that a
 * crash cut off is made again only if it is read-only. The end of the last call is left to the next move to keep.
 */
export async function* runCalls(
  journal: Journal,
  context: ExecuteContext & Pick<RunContext, "leave">,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const last = stepsOf(journal.state).at(-1);
  const open = last ? callsOfStep(journal.state, last.step).filter(({ finished }) => !finished) : [];
  const settled = open.flatMap((call) => settledCall(call, signal) ?? []);
  journal.add(...settled);

  const numbers = new Set(settled.map(({ number }) => number));
  const toMake = open.filter(({ number }) => !numbers.has(number));
  if (toMake.length === 0) return;
  const fresh = toMake.filter(({ started }) => !started);
  journal.add(...fresh.map(({ number }) => ({ type: "call.started", number }) as const));
  const begun = await journal.flush();

  const running = new Map(toMake.map((call) => [call.number, executeCall(call, context, signal)]));
  // A failure of one to be kept ends the run; the others must not become unhandled rejections meanwhile.
  for (const call of running.values()) call.catch(() => undefined);
  let keeping = true;
  let pending: Promise<void> | undefined;
  const keepNext = async () => {
    const finished = await Promise.race(running.values());
    running.delete(finished.number);
    pending = undefined;
    if (keeping) journal.add(finished);
  };
  // One at a time: whoever stops waiting for it leaves it to the next who waits.
  const next = () => (pending ??= keepNext());
  using leaving = abortOf(context.leave);
  try {
    yield* begun;
    while (running.size > 0 && !context.leave?.aborted) {
      await Promise.race([next(), leaving.promise]);
      if (running.size > 0) yield* await journal.flush();
    }
  } catch (error) {
    keeping = false;
    throw error;
  } finally {
    // Whoever stops listening here has not cancelled: calls about to answer are kept, so that a resume need not repeat
    // them. What takes longer is left open in the log, as after a crash.
    if (keeping && running.size > 0) {
      const late = AbortSignal.any([AbortSignal.timeout(lateAnswers), signal]);
      using tooLate = abortOf(late);
      while (running.size > 0 && !late.aborted) await Promise.race([next(), tooLate.promise]);
      await journal.flush();
    }
    keeping = false;
  }
}

/** How long answers are waited for after the listener has left, ms. */
const lateAnswers = 1000;

/** Resolves when the signal aborts; without one never. Disposing stops listening. */
function abortOf(signal: AbortSignal | undefined): Disposable & { readonly promise: Promise<undefined> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const abort = () => resolve(undefined);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  return { promise, [Symbol.dispose]: () => signal?.removeEventListener("abort", abort) };
}

/** The end of a call that is not made, or undefined for one that is. */
function settledCall(call: CallState, signal: AbortSignal): CallFinished | undefined {
  const { number, refusal, started, target } = call;
  const end = { type: "call.finished", number, reached: false, size: 0, duration: 0 } as const;
  if (refusal) return { ...end, ...refusal, size: refusal.message.length };
  const readOnly = target.kind !== "server" || target.readOnly;
  if (started && (signal.aborted || !readOnly)) return { ...end, reached: true, ...interrupted(readOnly) };
  if (signal.aborted) return { ...end, outcome: "denied", message: "The call was not made: the run was ending." };
  return undefined;
}
