import { setTimeout as delay } from "node:timers/promises";
import { inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

/**
 * A server that speaks the 2026-07-28 revision only, on the SDK. Its argument is how long it takes to start, ms: longer
 * than a client cares to wait before it takes a silent server for an older one.
 */
await delay(Number(process.argv[2] ?? 0));

serveStdio(
  () => {
    const server = new McpServer(
      { name: "modern", version: "1.0.0" },
      { capabilities: { tools: { listChanged: true } } },
    );
    const form = inputRequired.elicit({
      message: "Who?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    });
    server.registerTool("ask", { inputSchema: z.object({}) }, async () =>
      inputRequired({ inputRequests: { who: form } }),
    );
    server.registerTool("grow", { inputSchema: z.object({}) }, async () => {
      server.registerTool("grown", { inputSchema: z.object({}) }, async () => ({ content: [] }));
      return { content: [{ type: "text", text: "done" }] };
    });
    server.registerTool("slow", { inputSchema: z.object({ ms: z.number() }) }, async ({ ms }, { mcpReq }) => {
      await delay(ms, undefined, { signal: mcpReq.signal }).catch(() => console.error("told to stop"));
      return { content: [{ type: "text", text: "slow" }] };
    });
    return server;
  },
  { legacy: "reject" },
);
