import type { Window } from "../agent/events.ts";
import type { ToolSet } from "../agent/toolSet.ts";
import type { Model } from "../model/model.ts";
import { runbookModel } from "../runbook/runbookModel.ts";
import type { RunbookTool } from "../runbook/runbookTool.ts";
import type { Deployment } from "./deployment.ts";

/** The model that needs none: it follows the queries of the deployment's skills, by the names that the run offers tools under. */
export function runbookFor(
  { registry, catalog, now, config }: Deployment,
  {
    window,
    offered,
    set,
  }: { readonly window: Window; readonly offered: ToolSet; readonly set: Readonly<Record<string, string>> },
): Model {
  const tools = new Map<string, RunbookTool[]>();
  for (const { server, tool } of registry.tools()) {
    const name = offered.nameOf(server, tool.name);
    const known = { name: tool.name, inputSchema: tool.inputSchema, ...(name === undefined ? {} : { offered: name }) };
    tools.set(server, [...(tools.get(server) ?? []), known]);
  }
  const { serviceLabels, arguments: needed } = config.runbook;
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
