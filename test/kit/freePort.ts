import { once } from "node:events";
import { createServer } from "node:net";

/** A loopback port that was free a moment ago. Where a program can bind port 0 itself, let it: that cannot race. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return address.port;
}
