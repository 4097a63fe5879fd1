import type { Json, JsonObject } from "../json/json.ts";

/** What a tool call gave back, in MCP's own shape: content blocks, optionally structured, possibly an error. */
export interface ToolResult {
  /** MCP content blocks (`text`, `image`, `audio`, `resource`, `resource_link`), in the server's order. */
  readonly content: readonly JsonObject[];
  readonly structuredContent?: Json;
  /** The tool itself reports a failure; `content` then says what went wrong. */
  readonly isError: boolean;
}

/** A result that is one piece of text. */
export function textResult(text: string, isError = false): ToolResult {
  return { content: [{ type: "text", text }], isError };
}

/**
 * The text that a model reads and a page is cut from: the text blocks, one below the other; what is no text is named,
 * never dropped. Structured content is written as JSON where there is no block at all, since servers that send both
 * send the same thing twice.
 */
export function resultText(result: ToolResult): string {
  if (result.content.length > 0) return result.content.map(blockText).join("\n");
  return result.structuredContent === undefined ? "" : JSON.stringify(result.structuredContent);
}

function blockText(block: JsonObject): string {
  const { type, text, resource } = block;
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource" && typeof resource === "object" && resource !== null) {
    const { text, uri, mimeType } = resource as JsonObject;
    return typeof text === "string" ? text : `[resource ${shown(uri)}, ${shown(mimeType)}: not text, not shown]`;
  }
  if (type === "resource_link") return `[link to ${shown(block["uri"])}: ${shown(block["name"])}]`;
  return `[${shown(type)} ${shown(block["mimeType"])}: not text, not shown]`;
}

function shown(value: Json | undefined): string {
  return typeof value === "string" ? value : "without a type";
}
