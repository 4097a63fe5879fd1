import {
  type JSONRPCMessage,
  type RequestId,
  type StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";

/** The `data` of an error that stands for an answer that can no longer come. Compared by identity: no server can send it. */
export const streamEnded: object = Object.freeze({ reason: "the stream of the answer ended before the answer" });

/**
 * Streamable HTTP as the SDK speaks it, with one gap closed: when the stream of an answer breaks, the SDK leaves the
 * request waiting for its deadline. Here it fails at once, with `streamEnded` as data.
 */
export class HttpTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly hasPerRequestStream = true;

  readonly #inner: Transport & Pick<StreamableHTTPClientTransport, "terminateSession">;
  readonly #unanswered = new Set<RequestId>();

  constructor(inner: StreamableHTTPClientTransport) {
    this.#inner = inner;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message: JSONRPCMessage) => {
      if ("id" in message && !("method" in message) && message.id !== undefined) this.#unanswered.delete(message.id);
      this.onmessage?.(message);
    };
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!("id" in message && "method" in message)) return this.#inner.send(message, options);
    const { id } = message;
    this.#unanswered.add(id);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (!this.#unanswered.delete(id)) return;
      this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_000, message: "stream ended", data: streamEnded } });
    };
    try {
      await this.#inner.send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      this.#unanswered.delete(id);
      throw error;
    }
  }

  /** Tells the server that the session is over, as the specification asks; a server may refuse. */
  terminateSession(): Promise<void> {
    return this.#inner.terminateSession();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
