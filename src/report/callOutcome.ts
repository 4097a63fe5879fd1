/**
 * How a tool call ended. `ok`: data. `empty`: success without data. `error`: the server, the tool or its arguments
 * failed. `denied`: never sent. `timeout`: no answer in time. `unknown`: the connection broke in a call that may have
 * taken effect.
 */
export type CallOutcome = "ok" | "empty" | "error" | "denied" | "timeout" | "unknown";

/** What the citation check and the coverage need to know of a call. */
export interface CallFact {
  readonly number: number;
  /** Absent for built-in tools and for tools that do not exist. */
  readonly server?: string;
  readonly outcome: CallOutcome;
  /** Made in one step with the report, whose author cannot have read the result. */
  readonly unread?: true;
}
