import type { JsonObject } from "../json/json.ts";

/** A tool of a connected server. */
export interface RunbookTool {
  /** As the server calls it. */
  readonly name: string;
  /** As it is offered to a model; undefined where it is reached through `call_tool` only. */
  readonly offered?: string;
  readonly inputSchema: JsonObject;
}
