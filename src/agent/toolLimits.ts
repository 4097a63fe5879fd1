import type { ToolSetLimits } from "./toolSet.ts";

/** Providers refuse more tools than this, or choose badly among them. */
const mostTools = 128;
/** The list is sent in every step: the share of the model's window that it may take. */
const share = 0.15;
/** Where no model is known. */
const usualWindow = 128_000;

export function toolLimitsFor(window: number = usualWindow): ToolSetLimits {
  return { tools: mostTools, tokens: window * share };
}
