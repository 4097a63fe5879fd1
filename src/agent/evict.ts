import { callsOfStep, lastStep, type RunState } from "./runState.ts";

/** The next step may fill this share of the model's window; beyond it, results are evicted down to the second share. */
const full = 0.75;
const target = 0.5;

/** JSON and logs run at about this many characters a token; erring low means evicting early. */
const charactersPerToken = 3;

/**
 * Calls whose results are to be shown no longer, oldest first, so that the next step fits the window. Never those of the
 * last step, which nobody has read yet. Pure and deterministic.
 */
export function callsToEvict(
  state: RunState,
  { window, pageSize }: { window: number; pageSize: number },
): readonly number[] {
  const last = lastStep(state);
  if (!last?.answer) return [];
  const shown = (size: number) => Math.min(size, pageSize) / charactersPerToken;
  const fresh = callsOfStep(state, last.step).reduce((sum, { finished }) => sum + shown(finished?.size ?? 0), 0);
  let projected = last.answer.usage.input + last.answer.usage.output + fresh;
  if (projected <= window * full) return [];

  const evicted: number[] = [];
  for (const { number, step, finished } of state.calls) {
    if (projected <= window * target || step === last.step) break;
    // A message is part of the log and shown in any case.
    if (state.evicted.has(number) || !finished?.size || finished.message !== undefined) continue;
    evicted.push(number);
    projected -= shown(finished.size);
  }
  return evicted;
}

/** Characters of one result that a model with this window is shown at once: the token cap or 15 % of the window. */
export function pageSizeFor(window: number, resultTokens: number): number {
  return Math.floor(Math.min(resultTokens, window * 0.15)) * charactersPerToken;
}
