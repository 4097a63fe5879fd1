import type { CallToolRequestOptions, Client, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isTooDeep, type JsonObject } from "../json/json.ts";
import { type CallOptions, type Connection, type ConnectOptions, McpError, type ToolDefinition } from "./connection.ts";
import { noLimit } from "./mcpClient.ts";
import { mcpFailure, rootMessage } from "./mcpFailure.ts";
import { toolPage, toolResult } from "./toolShapes.ts";

/** A call that keeps reporting progress ends after this many times its deadline. */
const progressCeiling = 10;
/** A tool list that goes on is not one, pages. */
const longestList = 64;
/** All names may have to stand in every prompt: a list that could fill it is not one either, characters. */
const longestNames = 65_536;

export interface ClientConnectionOptions extends ConnectOptions {
  /** Name in the configuration. */
  readonly server: string;
  /** Why the connection broke, when the transport knows better than the SDK. */
  lossReason(): string | undefined;
  /** Ends client and transport. Must not throw. */
  end(): Promise<void>;
}

/** The `Connection` that an initialised SDK client gives. */
export function clientConnection(client: Client, options: ClientConnectionOptions): Connection {
  const { log, server } = options;
  let listed: ReadonlyMap<string, ToolDefinition> = new Map();
  let ending: Promise<void> | undefined;

  const failure = (error: unknown) => {
    const failed = mcpFailure(error);
    const reason = failed.code === "lost" || failed.code === "not-connected" ? options.lossReason() : undefined;
    return reason === undefined ? failed : new McpError(failed.code, reason, { cause: error });
  };
  client.onclose = () => {
    if (!ending) options.onLost(options.lossReason() ?? "the connection was closed");
  };
  if (client.transport === undefined) throw new McpError("lost", options.lossReason() ?? "the connection was closed");
  subscribe(client, options);

  return {
    info: infoOf(client),

    async list(signal) {
      try {
        const tools = await listAll(client, options, signal);
        listed = new Map(tools.map((tool) => [tool.name, tool]));
        return tools;
      } catch (error) {
        signal.throwIfAborted();
        const failed = failure(error);
        if (failed.code !== "protocol") throw failed;
        throw new McpError("list-failed", `its tools cannot be listed: ${failed.message}`, { cause: error });
      }
    },

    async call(tool: string, args: JsonObject, { signal, timeout }: CallOptions) {
      try {
        const result = await call(
          client,
          { tool, args, schema: listed.get(tool)?.inputSchema },
          {
            signal,
            timeout,
            resetTimeoutOnProgress: true,
            maxTotalTimeout: timeout * progressCeiling,
            onprogress: ({ progress }) => log.debug({ server, tool, progress }, "call makes progress"),
          },
        );
        if (isTooDeep(result)) throw new McpError("protocol", "the answer is nested too deep to be read");
        const read = toolResult(result);
        if (!read) throw new McpError("protocol", "the answer is not the result of a tool");
        return read;
      } catch (error) {
        signal.throwIfAborted();
        throw failure(error);
      }
    },

    close() {
      ending ??= options.end();
      return ending;
    },
  };
}

/** Lets everything through: a result that breaks a schema is still what the server said. */
const anything: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "korvus", validate: (value) => ({ value }) },
};

async function listAll(
  client: Client,
  { log, server }: ClientConnectionOptions,
  signal: AbortSignal,
): Promise<readonly ToolDefinition[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools: ToolDefinition[] = [];
  let cursor: string | undefined;
  for (let pages = 1; pages <= longestList; pages++) {
    const request = { method: "tools/list", params: cursor === undefined ? {} : { cursor } } as const;
    const page = toolPage(await client.request(request, anything, { signal, timeout: noLimit }));
    if (!page) throw new McpError("list-failed", "its tools cannot be listed: the answer is not a list of tools");
    if (page.unfit > 0) log.warn({ server, tools: page.unfit }, "tools without a fit name or schema are left out");
    tools.push(...page.tools);
    if (tools.reduce((sum, { name }) => sum + name.length, 0) > longestNames)
      throw new McpError(
        "list-failed",
        `its tools cannot be listed: their names have more than ${longestNames} characters`,
      );
    cursor = page.nextCursor;
    if (cursor === undefined) return tools;
  }
  throw new McpError("list-failed", `its tools cannot be listed: there are more than ${longestList} pages`);
}

async function call(
  client: Client,
  { tool, args, schema }: { tool: string; args: JsonObject; schema: JsonObject | undefined },
  options: CallToolRequestOptions,
): Promise<unknown> {
  const params = { name: tool, arguments: args };
  // `callTool` throws results away that do not match the tool's output schema, or contain what MCP does not know. From
  // 2026 on it is needed, as it mirrors arguments in headers where a schema says so; without an output schema it is harmless.
  if (client.getProtocolEra() !== "modern")
    return await client.request({ method: "tools/call", params }, anything, options);
  return await client.callTool(params, {
    ...options,
    toolDefinition: { name: tool, inputSchema: { ...schema, type: "object" } },
  });
}

/** From 2026 on, servers only tell of changes to who asked. They may not support it; a connection does not wait for that. */
function subscribe(client: Client, { log, server }: ClientConnectionOptions): void {
  if (client.getProtocolEra() !== "modern" || !client.getServerCapabilities()?.tools?.listChanged) return;
  client.listen({ toolsListChanged: true }, { timeout: 5000 }).catch((error: unknown) => {
    log.debug({ server, error: rootMessage(error) }, "changes of the tool list cannot be watched");
  });
}

function infoOf(client: Client): Connection["info"] {
  const version = client.getServerVersion();
  return {
    server: version ? `${version.name} ${version.version}` : "unnamed",
    protocol: client.getNegotiatedProtocolVersion() ?? "unknown",
  };
}
