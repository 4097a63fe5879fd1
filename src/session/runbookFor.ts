import type { Window } from "../agent/events.ts";
import type { ToolSet } from "../agent/toolSet.ts";
import type { Config } from "../config/config.ts";
import type { ServerTool } from "../mcp/registry.ts";
import type { Model } from "../model/model.ts";
import { runbookModel } from "../runbook/runbookModel.ts";
import type { RunbookTool } from "../runbook/runbookTool.ts";
import type { SkillSet } from "./catalogText.ts";

export interface RunbookSources {
  readonly catalog: SkillSet;
  readonly tools: readonly ServerTool[];
  readonly window: Window;
  readonly offered: ToolSet;
  readonly set: Readonly<Record<string, string>>;
  /** ms. */
  readonly now: number;
}

/** The model that needs none: it follows the queries of the session's skills, by the names that the run offers tools under. */
export function runbookFor(
  { catalog, tools: listed, window, offered, set, now }: RunbookSources,
  { runbook }: Pick<Config, "runbook">,
): Model {
  const tools = new Map<string, RunbookTool[]>();
  for (const { server, tool } of listed) {
    const name = offered.nameOf(server, tool.name);
    const known = { name: tool.name, inputSchema: tool.inputSchema, ...(name === undefined ? {} : { offered: name }) };
    tools.set(server, [...(tools.get(server) ?? []), known]);
  }
  const { serviceLabels, arguments: needed } = runbook;
  return runbookModel({
    catalog,
    tools,
    window,
    now,
    set,
    needed: new Map(Object.entries(needed)),
    ...(serviceLabels ? { serviceLabels } : {}),
  });
}
