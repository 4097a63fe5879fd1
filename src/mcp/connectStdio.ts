import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { StdioServer } from "../config/config.ts";
import { clientConnection } from "./clientConnection.ts";
import { type Connection, type ConnectOptions, McpError } from "./connection.ts";
import { type ClientParts, openClient } from "./mcpClient.ts";
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
    return await attempt(server, options, parts, "auto");
  } catch (error) {
    if (!(error instanceof DiedOfProbe)) throw error;
    options.log.debug(
      { server: server.name },
      "the server ends when asked for the 2026 protocol: started again without",
    );
    return await attempt(server, options, parts, "legacy");
  }
}

async function attempt(
  server: StdioServer,
  options: ConnectOptions,
  parts: ClientParts & StdioParts,
  mode: "auto" | "legacy",
): Promise<Connection> {
  const transport = new StdioTransport(server, parts);
  const lossReason = () => transport.exit && withLastWords(`the server ${transport.exit}`, transport);
  try {
    const negotiation = { mode, probe: { timeoutMs: probeTimeout } };
    const client = await openClient(transport, negotiation, { parts, server: server.name, options });
    return clientConnection(client, { ...options, server: server.name, lossReason, end: () => transport.close() });
  } catch (error) {
    await transport.close();
    if (options.signal.aborted && !(error instanceof McpError)) throw error;
    const failed = mcpFailure(error);
    if (mode === "auto" && transport.exit !== undefined && isNegotiation(error)) throw new DiedOfProbe(failed);
    if (failed.code === "connect-failed") throw failed;
    const code = failed.code === "connect-timeout" ? failed.code : "connect-failed";
    const message = lossReason() ?? withLastWords(failed.message, transport);
    throw new McpError(code, message, { cause: error });
  }
}

/** The child ended while the SDK asked for the 2026 protocol, as servers do that end on any request before `initialize`. */
class DiedOfProbe extends Error {
  constructor(cause: McpError) {
    super(cause.message, { cause });
  }
}

function isNegotiation(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
}

function withLastWords(message: string, { lastWords }: StdioTransport): string {
  return lastWords === "" ? message : `${message}: ${lastWords}`;
}
