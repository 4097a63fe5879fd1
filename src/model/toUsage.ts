import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { estimateTokens } from "./estimateTokens.ts";
import type { AnswerPart, StepInput, Usage } from "./model.ts";

/**
 * What a step cost. What the provider did not say, or gave as zero though there was something, is estimated and marked,
 * so that a budget is never spent unseen.
 */
export function toUsage(said: LanguageModelV4Usage | undefined, input: StepInput, parts: readonly AnswerPart[]): Usage {
  const saidInput = credible(said?.inputTokens.total);
  const saidOutput = credible(said?.outputTokens.total);
  const estimated = saidInput === 0 || (saidOutput === 0 && parts.length > 0);
  return {
    input: saidInput || inputTokens(input),
    output: saidOutput || outputTokens(parts),
    cached: credible(said?.inputTokens.cacheRead),
    ...(estimated && { estimated }),
  };
}

/** A negative number would give a budget back, an immense one end the run: both count as nothing said. */
function credible(tokens: number | undefined): number {
  return tokens !== undefined && tokens >= 0 && tokens < 1e9 ? tokens : 0;
}

function inputTokens({ system, messages, tools }: StepInput): number {
  return estimateTokens(system) + estimateTokens(JSON.stringify(messages)) + estimateTokens(JSON.stringify(tools));
}

function outputTokens(parts: readonly AnswerPart[]): number {
  const text = (part: AnswerPart) => (part.type === "call" ? JSON.stringify(part.arguments) : part.text);
  return parts.reduce((sum, part) => sum + estimateTokens(text(part)), 0);
}
