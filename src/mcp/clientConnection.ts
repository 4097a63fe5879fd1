/* oxlint-disable unicorn/prefer-add-event-listener -- the SDK's client has fields, not events */
import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";
import type { JsonObject } from "../json/json.ts";
import type { ToolResult } from "../result/toolResult.ts";
import { type CallOptions, type Connection, type ConnectOptions, McpError, type ToolDefinition } from "./connection.ts";
import { noLimit } from "./mcpClient.ts";
import { mcpFailure, rootMessage } from "./mcpFailure.ts";

/** A call that keeps reporting progress ends after this many times its deadline. */
export const progressCeiling = 10;

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
  let listed: ReadonlyMap<string, Tool> = new Map();
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
      // The SDK would answer for the server and print a line on our stdout.
      if (!client.getServerCapabilities()?.tools) return [];
      try {
        const { tools } = await client.listTools(undefined, { signal, timeout: noLimit, cacheMode: "refresh" });
        listed = new Map(tools.map((tool) => [tool.name, tool]));
        return tools.map(definition);
      } catch (error) {
        signal.throwIfAborted();
        const failed = failure(error);
        if (failed.code !== "protocol") throw failed;
        throw new McpError("list-failed", `its tools cannot be listed: ${failed.message}`, { cause: error });
      }
    },

    async call(tool: string, args: JsonObject, { signal, timeout }: CallOptions) {
      try {
        const result = await client.callTool(
          { name: tool, arguments: args },
          {
            signal,
            timeout,
            resetTimeoutOnProgress: true,
            maxTotalTimeout: timeout * progressCeiling,
            onprogress: (progress) => log.debug({ server, tool, progress: progress.progress }, "call makes progress"),
            toolDefinition: withoutOutputSchema(listed.get(tool) ?? { name: tool, inputSchema: { type: "object" } }),
          },
        );
        return toolResult(result);
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

/** With the output schema, the SDK throws away a result that does not match it. */
function withoutOutputSchema({ name, inputSchema }: Tool): Tool {
  return { name, inputSchema };
}

function definition(tool: Tool): ToolDefinition {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations ?? {};
  const title = tool.title ?? tool.annotations?.title;
  return {
    name: tool.name,
    ...(title !== undefined && { title }),
    description: tool.description ?? "",
    inputSchema: tool.inputSchema as JsonObject,
    ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema as JsonObject }),
    annotations: {
      ...(readOnlyHint !== undefined && { readOnlyHint }),
      ...(destructiveHint !== undefined && { destructiveHint }),
      ...(idempotentHint !== undefined && { idempotentHint }),
      ...(openWorldHint !== undefined && { openWorldHint }),
    },
  };
}

function toolResult({ content, structuredContent, isError }: CallToolResult): ToolResult {
  return {
    content: content as readonly JsonObject[],
    ...(structuredContent !== undefined && { structuredContent: structuredContent as JsonObject }),
    isError: isError === true,
  };
}
