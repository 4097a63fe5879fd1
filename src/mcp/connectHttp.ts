import { setTimeout as delay } from "node:timers/promises";
import {
  type Client,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { HttpServer } from "../config/config.ts";
import { boundedFetch } from "../net/boundedFetch.ts";
import { clientConnection } from "./clientConnection.ts";
import { type Connection, type ConnectOptions, McpError } from "./connection.ts";
import { HttpTransport } from "./httpTransport.ts";
import { type ClientParts, openClient } from "./mcpClient.ts";
import { httpStatus, mcpFailure } from "./mcpFailure.ts";

/** Over all that servers send, as for stdio. */
const fetch = boundedFetch(32 * 1024 * 1024);
/** How long a server may be silent on the question for the 2026 protocol before it is asked the older way, ms. */
const probeTimeout = 3000;
/** How long a server may take to end a session that we leave, ms. */
const farewell = 300;
/** For the stream of an answer that breaks off; a server that names its own pause gets it. */
const reconnectionOptions = {
  initialReconnectionDelay: 300,
  maxReconnectionDelay: 2000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

/** Connects by streamable HTTP, else by legacy SSE, and initialises. Rejects with `McpError`. */
export async function connectHttp(
  server: HttpServer,
  options: ConnectOptions,
  parts: ClientParts,
): Promise<Connection> {
  const url = URL.parse(server.url);
  if (!url?.protocol.startsWith("http")) throw new McpError("connect-failed", `not an http(s) address: ${server.url}`);
  const attempt = { server, url, options, parts };
  try {
    return await firstThatFits(attempt);
  } catch (error) {
    options.signal.throwIfAborted();
    const failed = mcpFailure(error);
    const code = failed.code === "unauthorized" ? failed.code : "connect-failed";
    const refused = httpStatus(error) === 401 && new Headers(server.headers).has("authorization");
    const message = refused ? "the server refuses the configured Authorization header (HTTP 401)" : failed.message;
    throw new McpError(code, message, { cause: error });
  }
}

interface Attempt {
  readonly server: HttpServer;
  readonly url: URL;
  readonly options: ConnectOptions;
  readonly parts: ClientParts;
}

async function firstThatFits(attempt: Attempt): Promise<Connection> {
  try {
    return await streamable(attempt, "auto").catch((error: unknown) => {
      if (!isProbeFailure(error)) throw error;
      return streamable(attempt, "legacy");
    });
  } catch (error) {
    attempt.options.signal.throwIfAborted();
    if (!mayBeSse(error)) throw error;
    return await sse(attempt).catch((second: unknown) => {
      attempt.options.log.debug(
        { server: attempt.server.name, error: mcpFailure(second).message },
        "no legacy SSE either",
      );
      throw error;
    });
  }
}

async function streamable({ server, url, options, parts }: Attempt, mode: "auto" | "legacy"): Promise<Connection> {
  const requestInit = { headers: server.headers };
  const transport = new HttpTransport(
    new StreamableHTTPClientTransport(url, { fetch, requestInit, reconnectionOptions }),
  );
  const negotiation = { mode, probe: { timeoutMs: probeTimeout } };
  const client = await openClient(transport, negotiation, { parts, server: server.name, options });
  const end = async () => {
    const left = transport.terminateSession().catch(() => undefined); // A server need not offer that.
    await Promise.race([left, delay(farewell, undefined, { ref: false })]);
    await quietly(client);
  };
  return clientConnection(client, { ...options, server: server.name, lossReason: () => undefined, end });
}

async function sse({ server, url, options, parts }: Attempt): Promise<Connection> {
  const transport = new SSEClientTransport(url, { fetch, requestInit: { headers: server.headers } });
  const client = await openClient(transport, { mode: "legacy" }, { parts, server: server.name, options });
  const onerror = client.onerror;
  client.onerror = (error) => {
    onerror?.(error);
    // The SDK would open a stream again, in a session that knows nothing of the calls that wait for their answers.
    if (error instanceof SseError) void quietly(client);
  };
  return clientConnection(client, {
    ...options,
    server: server.name,
    lossReason: () => undefined,
    end: () => quietly(client),
  });
}

function isProbeFailure(error: unknown): boolean {
  const timedOut = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
  return timedOut || (httpStatus(error) ?? 0) >= 500;
}

/** By the specification: the POST of `initialize` is refused with a 4xx. */
function mayBeSse(error: unknown): boolean {
  const status = httpStatus(error) ?? 0;
  const unexpected = error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent;
  return unexpected || (status >= 400 && status < 500 && status !== 401 && status !== 403);
}

async function quietly(client: Client): Promise<void> {
  await client.close().catch(() => undefined); // It is over either way.
}
