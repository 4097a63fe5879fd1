import type { ServerConfig } from "../config/config.ts";
import type { JsonObject } from "../json/json.ts";
import type { Log } from "../log/log.ts";
import type { ToolResult } from "../result/toolResult.ts";

/** A tool as its server describes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** Hints of a server about its tool; absent means that the server said nothing. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Deadline in ms; each progress notification starts it anew. */
  readonly timeout: number;
}

/** One initialised MCP server. Failures are `McpError`; an answer with `isError` is a result, not a failure. */
export interface Connection {
  /** `name version` as the server gives them, and the protocol revision that was agreed. */
  readonly info: { readonly server: string; readonly protocol: string };
  list(signal: AbortSignal): Promise<readonly ToolDefinition[]>;
  call(tool: string, args: JsonObject, options: CallOptions): Promise<ToolResult>;
  /** Ends the connection and, for stdio, the whole process group. Must not throw. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Aborts when the time to connect is over or the run is cancelled. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** The connection broke by itself (a stdio child exited, a stream ended); at most once. */
  onLost(reason: string): void;
  /** The server's tool list changed. */
  onListChanged(): void;
}

/**
 * How connections come to be: stdio and HTTP here, recordings from their own room. Rejects with `McpError`, or with the
 * signal's reason, within a second after that aborts; nothing is left running then.
 */
export type Connect = (server: ServerConfig, options: ConnectOptions) => Promise<Connection>;

export type McpErrorCode =
  | "connect-failed"
  | "connect-timeout"
  | "list-failed"
  | "unauthorized"
  | "lost"
  | "timeout"
  | "not-connected"
  | "not-recorded"
  | "protocol";

/** A server that did not do what was asked. Match on `code`; `message` is for people. */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly code: McpErrorCode;

  constructor(code: McpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
