import type { JsonObject } from "../json/json.ts";
import type { Usage } from "../model/model.ts";
import type { CallOutcome } from "../report/callOutcome.ts";
import type { CallTarget, Notice, RunEnded, RunStarted } from "./events.ts";
import { type RunState, stepsOf } from "./runState.ts";

/** Everything about a run that the report must not hold: times, ids, durations, costs, and each call. */
export interface RunSummary {
  readonly id: string;
  readonly ended: RunEnded["reason"];
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly window: { readonly from: string; readonly to: string; readonly baselineFrom: string };
  readonly model: RunStarted["model"];
  readonly prompt: RunStarted["prompt"];
  readonly fingerprints: RunStarted["fingerprints"];
  readonly steps: number;
  /** Milliseconds in which the run was alive. */
  readonly duration: number;
  readonly usage: Usage;
  /** USD; absent where the model has no price. */
  readonly cost?: number;
  readonly calls: readonly CallSummary[];
  readonly notices: readonly Pick<Notice, "kind" | "message">[];
}

export interface CallSummary {
  readonly call: number;
  readonly step: number;
  readonly server?: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly decision: "allow" | "deny";
  readonly rule: string;
  readonly outcome: CallOutcome;
  /** Length of the result's text, UTF-16 code units. */
  readonly size: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly reason?: string;
  readonly message?: string;
}

/** The summary of a run that has ended; undefined before that. */
export function runSummary(
  state: RunState,
  price?: { readonly input: number; readonly output: number },
): RunSummary | undefined {
  const { started, ended, usage } = state;
  if (!started || !ended) return undefined;
  const iso = (time: number) => new Date(time).toISOString();
  const { from, to, baselineFrom } = started.window;
  return {
    id: started.run,
    ended: ended.reason,
    startedAt: iso(state.startedAt),
    window: { from: iso(from), to: iso(to), baselineFrom: iso(baselineFrom) },
    model: started.model,
    prompt: started.prompt,
    fingerprints: started.fingerprints,
    steps: stepsOf(state).length,
    duration: state.active,
    usage,
    ...(price ? { cost: runCost(usage, price) } : {}),
    calls: state.calls.map(({ number, step, name, target, arguments: args, decision, rule, finished }) => ({
      call: number,
      step,
      ...address(target, name),
      arguments: args,
      decision,
      rule,
      outcome: finished?.outcome ?? "unknown",
      size: finished?.size ?? 0,
      duration: finished?.duration ?? 0,
      ...(finished?.reason === undefined ? {} : { reason: finished.reason }),
      ...(finished?.message === undefined ? {} : { message: finished.message }),
    })),
    notices: state.notices.map(({ kind, message }) => ({ kind, message })),
  };
}

/** USD for a usage, at prices in USD per million tokens. */
export function runCost({ input, output }: Usage, price: { readonly input: number; readonly output: number }): number {
  return (input * price.input + output * price.output) / 1e6;
}

function address(target: CallTarget, name: string): { readonly server?: string; readonly tool: string } {
  return target.kind === "server" ? { server: target.server, tool: target.tool } : { tool: name };
}
