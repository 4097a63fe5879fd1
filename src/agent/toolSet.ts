import { canonicalJson, type Json } from "../json/json.ts";
import type { ServerTool } from "../mcp/registry.ts";
import { type ToolNames, toolNames } from "../mcp/toolNames.ts";
import { estimateTokens } from "../model/estimateTokens.ts";
import type { ToolSpec } from "../model/model.ts";
import { builtinNames, callToolTool, readResultTool, reportTool } from "./builtinTools.ts";
import type { BuiltinName, CallTarget } from "./events.ts";

/** The tools of a run: sorted by name, frozen, with the exact way back from each offered name. */
export interface ToolSet {
  readonly specs: readonly ToolSpec[];
  /** Tools reached through `call_tool` only, by server; empty where the whole list is offered. */
  readonly overflow: ReadonlyMap<string, readonly string[]>;
  /** What an offered name stands for; undefined for a name that was not offered. */
  resolve(name: string): Exclude<CallTarget, { kind: "none" }> | undefined;
  find(server: string, tool: string): ServerTarget | undefined;
  /** The name that a tool is offered under; undefined where it is reached through `call_tool`. */
  nameOf(server: string, tool: string): string | undefined;
  /** Description and input schema of a tool, as text. */
  describe(server: string, tool: string): string | undefined;
}

type ServerTarget = CallTarget & { kind: "server" };

/** What the list may cost in every step. Providers refuse more than 128 tools. */
export interface ToolSetLimits {
  readonly tools: number;
  readonly tokens: number;
}

/**
 * Offers whole servers, smallest list first, while the limits allow; the tools of the others are reached through the one
 * fixed `call_tool`, so that the list never changes within a run.
 */
export function toolSet(tools: readonly ServerTool[], limits: ToolSetLimits): ToolSet {
  const names = toolNames(
    tools.map(({ server, tool }) => ({ server, tool: tool.name })),
    builtinNames,
  );
  const byServer = Map.groupBy(tools, ({ server }) => server);
  const specsOf = new Map([...byServer].map(([server, list]) => [server, list.map((tool) => specOf(tool, names))]));

  const offered: ToolSpec[] = [];
  const overflow = new Map<string, readonly string[]>();
  let tokens = 0;
  for (const [server, specs] of [...specsOf].sort(([, a], [, b]) => a.length - b.length)) {
    const cost = estimateTokens(canonicalJson(specs as unknown as Json));
    if (offered.length + specs.length + builtinNames.length <= limits.tools && tokens + cost <= limits.tokens) {
      offered.push(...specs);
      tokens += cost;
    } else {
      overflow.set(
        server,
        (byServer.get(server) ?? []).map(({ tool }) => tool.name),
      );
    }
  }
  const sortedOverflow = new Map([...overflow].sort(([a], [b]) => (a < b ? -1 : 1)));
  const builtins =
    overflow.size === 0 ? [readResultTool, reportTool] : [callToolTool(sortedOverflow), readResultTool, reportTool];
  const specs = [...offered, ...builtins].sort((a, b) => (a.name < b.name ? -1 : 1));

  const targets = new Map<string, Exclude<CallTarget, { kind: "none" }>>();
  for (const { name } of builtins) targets.set(name, { kind: "built-in", tool: name as BuiltinName });
  for (const { name } of offered) {
    const source = names.byName.get(name);
    const target = source && find(source.server, source.tool);
    if (target) targets.set(name, target);
  }

  function definition(server: string, tool: string) {
    return byServer.get(server)?.find((candidate) => candidate.tool.name === tool)?.tool;
  }
  function find(server: string, tool: string): ServerTarget | undefined {
    const found = definition(server, tool);
    return found && { kind: "server", server, tool, readOnly: found.annotations.readOnlyHint === true };
  }
  return {
    specs,
    overflow: sortedOverflow,
    resolve: (name) => targets.get(name),
    find,
    nameOf(server, tool) {
      const name = names.nameOf(server, tool);
      return name !== undefined && targets.has(name) ? name : undefined;
    },
    describe(server, tool) {
      const found = definition(server, tool);
      return found && `${found.description}\n\nArguments: ${JSON.stringify(found.inputSchema)}`;
    },
  };
}

function specOf({ server, tool }: ServerTool, names: ToolNames): ToolSpec {
  const name = names.nameOf(server, tool.name);
  if (name === undefined) throw new Error(`${server}'s ${tool.name} was not named`);
  return { name, description: tool.description, inputSchema: tool.inputSchema };
}
