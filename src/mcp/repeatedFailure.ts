import { McpError, type McpErrorCode } from "./connection.ts";

/**
 * A failure of an earlier run that a recording gives back. It ends in the outcome and the words of that time, whatever
 * the deadlines and connections are now, and nothing is tried again.
 */
export class RepeatedFailure extends McpError {
  readonly outcome: "error" | "timeout" | "unknown";
  readonly reached: boolean;

  constructor(message: string, { outcome, reached }: Pick<RepeatedFailure, "outcome" | "reached">) {
    super(codeOf(outcome, reached), message);
    this.outcome = outcome;
    this.reached = reached;
  }
}

function codeOf(outcome: RepeatedFailure["outcome"], reached: boolean): McpErrorCode {
  if (!reached) return "not-connected";
  return outcome === "error" ? "protocol" : outcome === "timeout" ? "timeout" : "lost";
}
