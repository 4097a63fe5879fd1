import {
  Client,
  type ClientCapabilities,
  type ElicitRequest,
  type ElicitResult,
  ProtocolError,
  ProtocolErrorCode,
  type Transport,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import type { ConnectOptions } from "./connection.ts";
import { abortable } from "./deadline.ts";
import { rootMessage } from "./mcpFailure.ts";

/** What is the same for every server. */
export interface ClientParts {
  /** Version of Korvus that servers are told. */
  readonly version: string;
  /**
   * Answers a server that asks its user for input (elicitation); fields left out get the defaults of the server's form.
   * Without it, Korvus tells servers that it cannot be asked, and declines if one asks nevertheless.
   */
  readonly elicit?: (request: ElicitRequest) => Promise<ElicitResult>;
}

/** Requests have their own deadlines; this only keeps the SDK's default of a minute away. */
export const noLimit = 24 * 60 * 60 * 1000;

/**
 * A client that has initialised over `transport`. Rejects with the signal's reason, or with what the SDK throws; the
 * transport is closed then.
 */
export async function openClient(
  transport: Transport,
  negotiation: VersionNegotiationOptions,
  { parts, server, options }: { parts: ClientParts; server: string; options: ConnectOptions },
): Promise<Client> {
  const capabilities: ClientCapabilities = parts.elicit ? { elicitation: { form: { applyDefaults: true } } } : {};
  const client = new Client(
    { name: "korvus", version: parts.version },
    { capabilities, versionNegotiation: negotiation },
  );
  const { elicit } = parts;
  if (elicit) client.setRequestHandler("elicitation/create", (request) => elicit(request));
  client.fallbackRequestHandler = (request) => decline(request.method);
  client.setNotificationHandler("notifications/tools/list_changed", () => options.onListChanged());
  // Late progress after a cancelled call, noise on stdout, a stream that reconnects: nothing that anyone has to act on.
  const reported = new WeakSet<Error>();
  const report = (error: Error) => {
    if (reported.has(error)) return;
    reported.add(error);
    options.log.debug({ server, error: rootMessage(error) }, "MCP connection reports a fault");
  };
  client.onerror = report;
  transport.onerror = report; // The client listens only once the protocol is settled.

  try {
    await abortable(client.connect(transport, { timeout: noLimit }), options.signal);
    return client;
  } catch (error) {
    await transport.close().catch(() => undefined); // What counts is why the connection failed.
    options.signal.throwIfAborted();
    throw error;
  }
}

async function decline(method: string): Promise<ElicitResult> {
  if (method === "elicitation/create") return { action: "decline" };
  if (method === "sampling/createMessage") throw new ProtocolError(-1, "declined: Korvus does not lend its model");
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
}
