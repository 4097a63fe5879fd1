import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import type { AnswerPart, Finish } from "./model.ts";

/**
 * How an answer ended; undefined when it did not: only four reasons complete one, all others, and none at all, are faces
 * of a stream that was cut. Whether it holds calls is read from its parts, since servers call an answer with calls
 * `stop`, and one without `tool-calls`.
 */
export function toFinish(
  reason: LanguageModelV4FinishReason["unified"] | undefined,
  parts: readonly AnswerPart[],
): Finish | undefined {
  switch (reason) {
    case "length":
      return "length";
    case "content-filter":
      return "filtered";
    case "stop":
    case "tool-calls":
      return parts.some(({ type }) => type === "call" || type === "invalid-call") ? "calls" : "stop";
    default:
      return undefined;
  }
}
