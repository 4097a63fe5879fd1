import type { JsonObject } from "../json/json.ts";
import type { QueryTool, ServerPreset } from "../preset/preset.ts";
import { presetFor, queryToolFor } from "../preset/presets.ts";
import type { QueryBlock } from "../query/block.ts";
import type { RunbookTool } from "./runbookTool.ts";

/** A connected server, its tools, and what is known about it. */
export interface KnownServer {
  readonly server: string;
  readonly tools: readonly RunbookTool[];
  /** Undefined for a stranger: `mcp` blocks can call its tools, queries cannot be put to it. */
  readonly preset: ServerPreset | undefined;
  /** Arguments that only the operator knows. */
  readonly needed: JsonObject;
}

export function knownServers(
  tools: ReadonlyMap<string, readonly RunbookTool[]>,
  needed: ReadonlyMap<string, JsonObject>,
): readonly KnownServer[] {
  return [...tools].map(([server, list]) => ({
    server,
    tools: list,
    preset: presetFor(list.map(({ name }) => name)),
    needed: needed.get(server) ?? {},
  }));
}

export function offers({ tools }: KnownServer, tool: string): boolean {
  return tools.some(({ name }) => name === tool);
}

/** The tool of a server that takes a query, or why there is none, as the end of a sentence. */
export function queryTool(
  { server, tools, preset, needed }: KnownServer,
  query: Pick<QueryBlock, "language" | "text">,
): { readonly tool: QueryTool } | { readonly reason: string } {
  const names = tools.map(({ name }) => name);
  const tool = preset && queryToolFor(preset, query, names);
  if (!tool) return { reason: `no tool of ${server} is known to take this ${query.language}` };
  const lacking = tool.needs.filter((argument) => needed[argument] === undefined);
  return lacking.length === 0 ? { tool } : { reason: `${tool.tool} of ${server} needs ${lacking.join(", ")}` };
}
