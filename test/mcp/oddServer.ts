import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

/**
 * An MCP server over stdio, without an SDK, that misbehaves as its first argument says. Its tools do what tests of the
 * client need. `ODD_FILE`: each line names a tool that it lists (mode `file`), or takes a line per call (tool `note`).
 */
const mode = process.argv[2] ?? "plain";
const file = process.env["ODD_FILE"] ?? "";
const seen: string[] = [];
const cancelled: unknown[] = [];
let asked = 0;

type Message = {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
};
const replies = new Map<unknown, (message: Message) => void>();

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}
const text = (value: unknown, more: object = {}) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
  ...more,
});
/** Asks the client and gives its whole answer. */
function ask(method: string, params: object): Promise<Message> {
  const id = `ask-${++asked}`;
  send({ id, method, params });
  return new Promise((resolve) => replies.set(id, resolve));
}

const plain = { inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
const output = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
const tools: Record<string, (args: Record<string, number>, id: unknown, token: unknown) => unknown> = {
  echo: (args) => text(args),
  env: () => text(process.env),
  pid: () => text(String(process.pid)),
  seen: () => text(seen),
  cancelled: () => text(cancelled),
  hang: () => new Promise(() => {}),
  die: () => process.exit(7),
  note: () => {
    appendFileSync(file, "note\n");
    process.exit(7);
  },
  fault: () => Promise.reject(new Error("no such metric: token-abcdef")),
  deaf: () => {
    process.stdout.end();
    setInterval(() => {}, 1000);
    return new Promise(() => {});
  },
  strange: () => ({ content: [{ type: "hologram", text: "boo" }, "loose"], structuredContent: [1, 2] }),
  contentless: () => ({}),
  nothing: () => "not a result",
  fails: () => text("it is broken", { isError: true }),
  wrong: () => text("42 apples", { structuredContent: { count: "many" } }),
  bare: () => text("no structure at all"),
  big: ({ bytes = 0 }) => text("x".repeat(bytes)),
  elicit: async () =>
    text(await ask("elicitation/create", { message: "Who?", requestedSchema: { type: "object", properties: {} } })),
  sample: async () => text(await ask("sampling/createMessage", { messages: [], maxTokens: 1 })),
  roots: async () => text(await ask("roots/list", {})),
  grow: () => {
    appendFileSync(file, "grown\n");
    send({ method: "notifications/tools/list_changed" });
    return text("done");
  },
  async progress({ steps = 1, ms = 1 }, _id, token) {
    for (let step = 1; step <= steps; step++) {
      await delay(ms);
      send({ method: "notifications/progress", params: { progressToken: token, progress: step, total: steps } });
    }
    return text("finished");
  },
};

function listed(): object[] {
  if (mode === "empty") return [];
  if (mode === "file")
    return (existsSync(file) ? readFileSync(file, "utf8").split("\n") : [])
      .filter(Boolean)
      .map((name) => ({ ...plain, name }));
  if (mode === "faulty")
    return [
      { name: "bare" },
      { name: "liar", description: 7, inputSchema: { properties: {} }, annotations: { readOnlyHint: "true" } },
      { description: "nameless" },
      null,
    ] as object[];
  if (mode === "twins")
    return [
      { ...plain, name: "twin", description: "first" },
      { ...plain, name: "twin", description: "second" },
    ];
  return Object.keys(tools).map((name) => ({
    ...plain,
    name,
    ...(["wrong", "bare"].includes(name) && { outputSchema: output }),
    ...(["write", "note"].includes(name) && { annotations: {} }),
  }));
}

function page(cursor: unknown): object {
  const all = listed();
  if (mode === "endless")
    return { tools: [{ ...plain, name: `tool-${Number(cursor ?? 0)}` }], nextCursor: String(Number(cursor ?? 0) + 1) };
  if (mode !== "paged") return { tools: all };
  const from = Number(cursor ?? 0);
  return { tools: all.slice(from, from + 5), ...(from + 5 < all.length && { nextCursor: String(from + 5) }) };
}

async function answer({ id, method = "", params = {} }: Message): Promise<void> {
  seen.push(method);
  if (mode === "mute" || (mode === "mute-initialize" && method === "initialize")) return;
  if (mode === "dies-of-probe" && !seen.includes("initialize")) process.exit(4);
  if (method === "notifications/cancelled") cancelled.push(params["requestId"]);
  if (id === undefined) return;
  if (method === "initialize") {
    const result = {
      protocolVersion: "2025-06-18",
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "odd", version: "1" },
    };
    return send({ id, result });
  }
  if (method === "tools/list" && mode === "list-fails")
    return send({ id, error: { code: -32603, message: "the catalog is locked" } });
  if (method === "tools/list" && mode === "list-hangs") return;
  if (method === "tools/list") return send({ id, result: page(params["cursor"]) });
  const tool = tools[params["name"] as string] ?? (mode === "file" ? tools["echo"] : undefined);
  if (method !== "tools/call" || !tool) return send({ id, error: { code: -32601, message: `no ${method}` } });
  const token = (params["_meta"] as { progressToken?: unknown } | undefined)?.progressToken;
  try {
    send({ id, result: await tool(params["arguments"] as Record<string, number>, id, token) });
  } catch (error) {
    send({ id, error: { code: -32000, message: (error as Error).message } });
  }
}

if (mode === "dies") {
  console.error("cannot read the token file: token-abcdef");
  process.exit(3);
}
if (mode === "garbage") {
  process.stdout.write('Welcome!\n{"not": "rpc"}\n[1,2]\n{"jsonrpc":"2.0"}\n\u0000\u0001\nnull\n');
  setInterval(() => process.stdout.write("still here\n"), 5);
}
if (mode === "flood") {
  const noise = `${"noise ".repeat(2000)}\n`;
  setInterval(() => process.stdout.writableLength < 1_000_000 && process.stdout.write(noise.repeat(20)), 1);
  setInterval(() => process.stderr.writableLength < 1_000_000 && process.stderr.write(noise.repeat(20)), 1);
}
if (mode === "stubborn") process.on("SIGTERM", () => {});

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as Message;
  if (message.method === undefined) replies.get(message.id)?.(message);
  else void answer(message);
});
// A stubborn server also stays when its input ends.
if (mode === "stubborn") setInterval(() => {}, 1000);
else process.stdin.on("end", () => process.exit(0));
