import { isJsonObject, isTooDeep, type Json, type JsonObject } from "../json/json.ts";
import type { ToolResult } from "../result/toolResult.ts";
import type { ToolAnnotations, ToolDefinition } from "./connection.ts";

/** One page of `tools/list`, as far as it can be understood. */
export interface ToolPage {
  readonly tools: readonly ToolDefinition[];
  /** Entries that name no tool, or one that nobody could call. */
  readonly unfit: number;
  readonly nextCursor?: string;
}

/** MCP asks for at most 128 characters. The names of all tools may have to be listed in the prompt. */
const longestName = 256;

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * Reads a page leniently: one tool with a faulty schema must not cost the others, as it does with the SDK's own
 * reading. A name is all that a tool needs; a hint counts only if it is a boolean. Undefined when this is no list.
 */
export function toolPage(result: unknown): ToolPage | undefined {
  if (!isJsonObject(result) || !Array.isArray(result["tools"])) return undefined;
  const entries: readonly Json[] = result["tools"];
  const tools = entries.map(definition).filter((tool) => tool !== undefined);
  const { nextCursor } = result;
  return { tools, unfit: entries.length - tools.length, ...(typeof nextCursor === "string" && { nextCursor }) };
}

function definition(tool: Json): ToolDefinition | undefined {
  if (!isJsonObject(tool)) return undefined;
  const { name, description, inputSchema, outputSchema } = tool;
  if (typeof name !== "string" || name === "" || name.length > longestName || isTooDeep(tool)) return undefined;
  const annotations = isJsonObject(tool["annotations"]) ? tool["annotations"] : {};
  const title = [tool["title"], annotations["title"]].find((text) => typeof text === "string");
  return {
    name,
    ...(title !== undefined && { title }),
    description: typeof description === "string" ? description : "",
    // Arguments are an object; not every server says so.
    inputSchema: { type: "object", ...(isJsonObject(inputSchema) && inputSchema) },
    ...(isJsonObject(outputSchema) && { outputSchema }),
    annotations: hintsOf(annotations),
  };
}

function hintsOf(annotations: JsonObject): ToolAnnotations {
  const given = hints.filter((hint) => typeof annotations[hint] === "boolean");
  return Object.fromEntries(given.map((hint) => [hint, annotations[hint]]));
}

/** Reads a result leniently: content of a kind that MCP does not know is kept as well. Undefined when this is no result. */
export function toolResult(result: unknown): ToolResult | undefined {
  if (!isJsonObject(result)) return undefined;
  const { content = [], structuredContent, isError } = result;
  if (!Array.isArray(content)) return undefined;
  return {
    content: (content as readonly Json[]).filter((block) => isJsonObject(block)),
    ...(structuredContent !== undefined && { structuredContent }),
    isError: isError === true,
  };
}
