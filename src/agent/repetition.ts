import { canonicalJson } from "../json/json.ts";
import { type CallState, callsOfStep, type RunState, stepsOf } from "./runState.ts";

/** How many of the last steps, without a break, asked for nothing but calls that earlier steps had asked for. */
export function repeatedSteps(state: RunState): number {
  const seen = new Set<string>();
  let repeated = 0;
  for (const { step } of stepsOf(state)) {
    const keys = callsOfStep(state, step).map(keyOf);
    repeated = keys.length > 0 && keys.every((key) => seen.has(key)) ? repeated + 1 : 0;
    for (const key of keys) seen.add(key);
  }
  return repeated;
}

function keyOf({ name, target, arguments: args, finished }: CallState): string {
  // Refused calls have their own text as the message, so that two different broken calls stay different.
  const what = target.kind === "server" ? `${target.server}\n${target.tool}` : `${name}\n${finished?.message ?? ""}`;
  return `${what}\n${canonicalJson(args)}`;
}
