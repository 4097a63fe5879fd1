import type { Clock } from "../clock/clock.ts";
import type { ServerConfig } from "../config/config.ts";
import { type Connect, type Connection, type ConnectOptions, McpError, type ToolDefinition } from "./connection.ts";
import { abortable, deadline } from "./deadline.ts";

/** How often an empty, refused or just changed list is asked for: some servers register their tools after they initialise. */
const attempts = 3;
/** Before an empty list is asked for again, ms. */
const pause = 150;

export interface OpenServerOptions extends ConnectOptions {
  readonly connect: Connect;
  readonly clock: Clock;
  /** Bound on start, initialisation and listing together, ms. */
  readonly timeout: number;
}

export interface OpenServer {
  readonly connection: Connection;
  readonly tools: readonly ToolDefinition[];
}

/** Starts a server, initialises it and lists its tools. Rejects with `McpError` or the signal's reason; nothing stays behind then. */
export async function openServer(config: ServerConfig, options: OpenServerOptions): Promise<OpenServer> {
  let phase = "initialise";
  let changes = 0;
  using limit = deadline(options.timeout, [options.signal], () => timedOut(options.timeout, phase));
  const onListChanged = () => {
    changes++;
    options.onListChanged();
  };
  const connection = await options.connect(config, { ...options, signal: limit.signal, onListChanged });
  try {
    phase = "list its tools";
    for (let attempt = 1; ; attempt++) {
      const before = changes;
      const tools = await listing(connection, limit.signal, attempt);
      const settled = changes === before && (tools.length > 0 || config.kind === "recording");
      if (settled || attempt === attempts) return { connection, tools };
      if (tools.length === 0) await options.clock.sleep(pause, limit.signal);
    }
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** A list that the server refuses counts as empty, until the last attempt. */
async function listing(
  connection: Connection,
  signal: AbortSignal,
  attempt: number,
): Promise<readonly ToolDefinition[]> {
  try {
    return await abortable(connection.list(signal), signal);
  } catch (error) {
    if (attempt < attempts && error instanceof McpError && error.code === "list-failed") return [];
    throw error;
  }
}

function timedOut(ms: number, phase: string): McpError {
  return new McpError("connect-timeout", `it did not ${phase} within ${ms / 1000} s`);
}
