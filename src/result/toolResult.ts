import type { Json, JsonObject } from "../json/json.ts";

/** What a tool call gave back, in MCP's own shape: content blocks, optionally structured, possibly an error. */
export interface ToolResult {
  /** MCP content blocks (`text`, `image`, `audio`, `resource`, `resource_link`), in the server's order. */
  readonly content: readonly JsonObject[];
  readonly structuredContent?: Json;
  /** The tool itself reports a failure; `content` then says what went wrong. */
  readonly isError: boolean;
}
