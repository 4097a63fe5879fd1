import { createServer as createHttp1, type Server as Http1Server } from "node:http";
import { createServer as createHttp2, type Http2Server, type ServerHttp2Session } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import type { ApiRequest, ApiResponse } from "./refuse.ts";

export interface PortOptions {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
}

/** How long the first bytes, and a request's headers, are waited for, ms. */
const headersTimeout = 10_000;
/** How long a whole request may take to come in, ms. */
const requestTimeout = 60_000;
/** What a client of HTTP/2 begins with. */
const preface = "PRI";

/** One cleartext port for HTTP/1.1 and, told by its first bytes, HTTP/2. */
export class PortServer implements AsyncDisposable {
  readonly #net: Server;
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(handler: (request: ApiRequest, response: ApiResponse) => void) {
    this.#http1 = createHttp1(
      {
        headersTimeout,
        requestTimeout,
        connectionsCheckingInterval: 5_000,
        keepAliveTimeout: 30_000,
        maxHeaderSize: 32 * 1024,
      },
      handler,
    );
    this.#http2 = createHttp2(
      { settings: { maxConcurrentStreams: 1_000, maxHeaderListSize: 32 * 1024 }, maxSessionMemory: 64 },
      handler,
    );
    this.#http2.on("session", (session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      // A client that breaks its connection is no fault of ours.
      session.on("error", () => undefined);
    });
    this.#net = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }, (socket) =>
      this.#sniff(socket),
    );
  }

  /** Resolves with the port once it listens. Rejects with Node's own error. */
  async listen({ host, port, maxConnections }: PortOptions): Promise<number> {
    this.#net.maxConnections = maxConnections;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#net.once("error", reject);
    this.#net.listen(port, host, resolve);
    await promise;
    // It gets its connections from us, and would not look after slow ones otherwise.
    this.#http1.emit("listening");
    const address = this.#net.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  /** Takes no more connections, lets requests under way end, at most `patience` ms. */
  async close(patience: number): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#net.close(() => closed.resolve());
    for (const session of this.#sessions) session.close();
    this.#http1.closeIdleConnections();
    this.#http1.close();
    const late = setTimeout(() => this.#destroy(), patience);
    await closed.promise;
    clearTimeout(late);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close(0);
  }

  #destroy(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #sniff(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setTimeout(headersTimeout, () => socket.destroy());
    socket.once("data", (first: Buffer) => {
      socket.setTimeout(0);
      socket.removeAllListeners("timeout");
      socket.pause();
      socket.unshift(first);
      const isHttp2 = first.toString("latin1", 0, preface.length) === preface;
      (isHttp2 ? this.#http2 : this.#http1).emit("connection", socket);
      if (!isHttp2) process.nextTick(() => socket.resume());
    });
  }
}
