import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

export interface HttpDouble extends AsyncDisposable {
  readonly url: string;
  /** Method and path of each request so far, with the JSON-RPC method of its body. */
  readonly requests: readonly string[];
}

/** An HTTP server of our own on loopback, for answers that no real MCP server gives. The body is read before `answer` runs. */
export async function startHttp(
  answer: (
    request: { method: string; headers: Record<string, unknown>; rpc: Rpc },
    reply: Parameters<RequestListener>[1],
  ) => void,
): Promise<HttpDouble> {
  const requests: string[] = [];
  const server = createServer((request, reply) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const rpc = (body === "" ? {} : JSON.parse(body)) as Rpc;
      requests.push(`${request.method} ${rpc.method ?? ""}`.trim());
      answer({ method: request.method ?? "", headers: request.headers, rpc }, reply);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("an HTTP server without a port");
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export interface Rpc {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

/** What a plain MCP server of the 2025 revisions answers, as JSON: one tool named `look`. Undefined for calls. */
export function ordinaryAnswer(rpc: Rpc): object | undefined {
  const result = (value: object) => ({ jsonrpc: "2.0", id: rpc.id, result: value });
  switch (rpc.method) {
    case "initialize":
      return result({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "double", version: "1" },
      });
    case "tools/list":
      return result({
        tools: [{ name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
      });
    case "tools/call":
      return undefined;
    default:
      return { jsonrpc: "2.0", id: rpc.id ?? null, error: { code: -32601, message: "Method not found" } };
  }
}
