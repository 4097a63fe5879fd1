import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server does with one request, byte for byte. */
export interface RawReply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one by one. */
  readonly chunks?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  /** `close` ends the body in order, `reset` drops the connection, `hang` leaves it open. Default `close`. */
  readonly end?: "close" | "reset" | "hang";
}

/** An HTTP server on loopback that replays bytes: what a provider's stand-in cannot be made to send. */
export async function rawServer(reply: (body: string, request: IncomingMessage) => RawReply | Promise<RawReply>) {
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      const { status = 200, headers = {}, chunks = [], end = "close" } = await reply(body, request);
      response.writeHead(status, { "content-type": "text/event-stream", ...headers });
      response.flushHeaders();
      for await (const chunk of chunks) await new Promise((resolve) => response.write(chunk, resolve));
      if (end === "close") response.end();
      // Only once the bytes are on their way, else the reset overtakes them.
      if (end === "reset") setTimeout(() => response.socket?.resetAndDestroy(), 5);
    })();
  });
  let connections = 0;
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many were opened so far. */
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
