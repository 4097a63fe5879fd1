import {
  SdkError,
  SdkErrorCode,
  UnsupportedProtocolVersionError,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import type { StdioServer } from "../config/config.ts";
import { clientConnection } from "./clientConnection.ts";
import { type Connection, type ConnectOptions, McpError } from "./connection.ts";
import { type ClientParts, noLimit, openClient } from "./mcpClient.ts";
import { mcpFailure } from "./mcpFailure.ts";
import { type StdioParts, StdioTransport } from "./stdioTransport.ts";

/** How long a server may be silent on the question for the 2026 protocol before it is taken for an older one, ms. */
const probeTimeout = 1500;

/**
 * Starts a server as a child process and initialises it. Rejects with `McpError`, whose message ends in the last lines
 * of the child's stderr; nothing of the child is left then.
 */
export async function connectStdio(
  server: StdioServer,
  options: ConnectOptions,
  parts: ClientParts & StdioParts,
): Promise<Connection> {
  try {
    return await attempt(server, options, parts, { mode: "auto", probe: { timeoutMs: probeTimeout } });
  } catch (error) {
    if (!(error instanceof WrongProtocol)) throw error;
    options.log.debug({ server: server.name, reason: error.message }, "MCP server is started again");
    return await attempt(server, options, parts, error.instead);
  }
}

async function attempt(
  server: StdioServer,
  options: ConnectOptions,
  parts: ClientParts & StdioParts,
  negotiation: VersionNegotiationOptions,
): Promise<Connection> {
  const transport = new StdioTransport(server, parts);
  const lossReason = () => transport.exit && withLastWords(`the server ${transport.exit}`, transport);
  try {
    const client = await openClient(transport, negotiation, { parts, server: server.name, options });
    return clientConnection(client, { ...options, server: server.name, lossReason, end: () => transport.close() });
  } catch (error) {
    await transport.close();
    if (options.signal.aborted && !(error instanceof McpError)) throw error;
    const instead = otherWay(error, transport);
    if (instead && negotiation.probe?.timeoutMs === probeTimeout) throw instead;
    const failed = mcpFailure(error);
    if (failed.code === "connect-failed") throw failed;
    const code = failed.code === "connect-timeout" ? failed.code : "connect-failed";
    const message = lossReason() ?? withLastWords(failed.message, transport);
    throw new McpError(code, message, { cause: error });
  }
}

/** The server has to be started again and spoken to in another way. */
class WrongProtocol extends Error {
  readonly instead: VersionNegotiationOptions;

  constructor(message: string, instead: VersionNegotiationOptions) {
    super(message);
    this.instead = instead;
  }
}

function otherWay(error: unknown, transport: StdioTransport): WrongProtocol | undefined {
  const negotiating = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
  if (negotiating && transport.exit !== undefined) {
    return new WrongProtocol("it ended when asked for the 2026 protocol", { mode: "legacy" });
  }
  // It was silent because it was still starting.
  if (error instanceof UnsupportedProtocolVersionError) {
    return new WrongProtocol(error.message, { mode: "auto", probe: { timeoutMs: noLimit } });
  }
  return undefined;
}

function withLastWords(message: string, { lastWords }: StdioTransport): string {
  return lastWords === "" ? message : `${message}: ${lastWords}`;
}
