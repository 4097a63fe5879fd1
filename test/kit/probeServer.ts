import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/**
 * A real MCP server over stdio whose tools do what tests of the loop need. Every call is appended to the file named by
 * `PROBE_LOG`, so that effects can be counted from outside. Run it with the Node that runs the tests.
 */
const server = new McpServer({ name: "probe", version: "1.0.0" });
const schema = <T>(properties: object) =>
  fromJsonSchema<T>({ type: "object", properties, required: Object.keys(properties) } as Parameters<
    typeof fromJsonSchema
  >[0]);
const reads = { readOnlyHint: true };
const text = (value: string, isError = false) => ({ content: [{ type: "text" as const, text: value }], isError });
const note = (tool: string, args: object) => {
  const log = process.env["PROBE_LOG"];
  if (log) appendFileSync(log, `${JSON.stringify({ tool, args })}\n`);
};

server.registerTool(
  "echo",
  {
    description: "Gives the text back.",
    inputSchema: schema<{ text: string }>({ text: { type: "string" } }),
    annotations: reads,
  },
  async (args) => {
    note("echo", args);
    return text(args.text);
  },
);
server.registerTool(
  "empty",
  { description: "Finds nothing.", inputSchema: schema<object>({}), annotations: reads },
  async (args) => {
    note("empty", args);
    return text('{"resultType":"matrix","result":[]}');
  },
);
server.registerTool(
  "fail",
  { description: "Fails.", inputSchema: schema<object>({}), annotations: reads },
  async (args) => {
    note("fail", args);
    return text("parse error: unexpected }", true);
  },
);
server.registerTool(
  "big",
  {
    description: "Gives many lines.",
    inputSchema: schema<{ lines: number }>({ lines: { type: "number" } }),
    annotations: reads,
  },
  async (args) => {
    note("big", args);
    return text(Array.from({ length: args.lines }, (_, index) => `line ${index} of a long result`).join("\n"));
  },
);
server.registerTool(
  "slow",
  { description: "Answers late.", inputSchema: schema<{ ms: number }>({ ms: { type: "number" } }), annotations: reads },
  async (args) => {
    note("slow", args);
    await delay(args.ms);
    return text(`waited ${args.ms}`);
  },
);
server.registerTool(
  "write",
  { description: "Changes something.", inputSchema: schema<{ value: string }>({ value: { type: "string" } }) },
  async (args) => {
    note("write", args);
    return text(`wrote ${args.value}`);
  },
);
server.registerTool(
  "write_slowly",
  { description: "Changes something, late.", inputSchema: schema<{ ms: number }>({ ms: { type: "number" } }) },
  async (args) => {
    note("write_slowly", args);
    await delay(args.ms);
    return text(`wrote after ${args.ms}`);
  },
);
server.registerTool(
  "die",
  { description: "Ends the server in mid-call.", inputSchema: schema<object>({}), annotations: reads },
  async (args) => {
    note("die", args);
    process.exit(3);
  },
);

await server.connect(new StdioServerTransport());
