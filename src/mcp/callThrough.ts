import type { Clock } from "../clock/clock.ts";
import type { JsonObject } from "../json/json.ts";
import type { Redact, Redacted } from "../redact/redact.ts";
import type { ToolResult } from "../result/toolResult.ts";
import type { Connection, McpErrorCode } from "./connection.ts";
import { mcpFailure } from "./mcpFailure.ts";
import { RepeatedFailure } from "./repeatedFailure.ts";
import type { ServerLink } from "./serverLink.ts";
import { shortMessage } from "./shortMessage.ts";

/** How a call ended. A failure has a result as well: its text says what went wrong, for a model to read. */
export interface CallAnswer {
  /**
   * `error`: the tool reports a failure, or the call failed; `timeout`: no answer in time; `unknown`: the connection
   * broke in mid-call of a tool that may write, so nobody knows what it did.
   */
  readonly outcome: "ok" | "error" | "timeout" | "unknown";
  readonly result: Redacted<ToolResult>;
  /** The call reached the server, whatever it answered. */
  readonly reached: boolean;
  /** It was sent twice: the connection broke, and the tool only reads. */
  readonly retried: boolean;
  /** From call to outcome, a reconnect included. */
  readonly ms: number;
  /** Why the tool itself gave no answer. */
  readonly code?: McpErrorCode;
}

export interface LinkCall {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** The tool is in the frozen list. */
  readonly offered: boolean;
  readonly readOnly: boolean;
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/** One call, with at most one repetition after a reconnect. Throws only the signal's reason. */
export async function callThrough(
  link: ServerLink | undefined,
  call: LinkCall,
  { clock, redact }: { readonly clock: Clock; readonly redact: Redact },
): Promise<CallAnswer> {
  const began = clock.now();
  const { server, tool } = call;
  let reached = false;
  let attempts = 0;
  const ended = (outcome: CallAnswer["outcome"], result: Redacted<ToolResult>, code?: McpErrorCode): CallAnswer => {
    const ms = clock.now() - began;
    return { outcome, result, reached, retried: attempts > 1, ms, ...(code !== undefined && { code }) };
  };
  const failed = (outcome: "error" | "timeout" | "unknown", message: string, code: McpErrorCode) =>
    ended(outcome, redact({ content: [{ type: "text", text: shortMessage(message, redact) }], isError: true }), code);

  if (!link) return failed("error", `there is no MCP server named ${server}`, "not-connected");
  for (;;) {
    let connection: Connection | undefined;
    try {
      connection = await link.ready(call.signal);
      if (!call.offered) return failed("error", `${server} offers no tool named ${tool}`, "protocol");
      attempts++;
      const result = await link.call(connection, call, call);
      reached = true;
      return ended(result.isError ? "error" : "ok", result);
    } catch (error) {
      call.signal.throwIfAborted();
      const failure = mcpFailure(error);
      const { code, message } = failure;
      if (failure instanceof RepeatedFailure) {
        reached = failure.reached;
        return failed(failure.outcome, message, code);
      }
      if (!connection) return failed("error", `${server} is not connected: ${message}`, code);
      reached ||= code !== "not-connected" && code !== "not-recorded";
      const broken = code === "lost" || code === "not-connected";
      if (broken) link.lost(connection, message);
      if (broken && call.readOnly && attempts === 1) continue;
      return failed(outcomeOf(code, call.readOnly), explained(code, message, call), code);
    }
  }
}

function outcomeOf(code: McpErrorCode, readOnly: boolean): "error" | "timeout" | "unknown" {
  if (code === "timeout") return "timeout";
  return code === "lost" && !readOnly ? "unknown" : "error";
}

function explained(code: McpErrorCode, message: string, { server, tool, readOnly, timeout }: LinkCall): string {
  switch (code) {
    case "timeout":
      return `${server} did not answer ${tool} within ${timeout / 1000} s: ${message}`;
    case "lost":
      return readOnly
        ? `the connection to ${server} broke during ${tool}, twice: ${message}`
        : `the connection to ${server} broke during ${tool}, so nobody knows whether it took effect: ${message}`;
    case "not-connected":
      return `${tool} did not reach ${server}: ${message}`;
    default:
      return message;
  }
}
