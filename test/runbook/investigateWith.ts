import type { RunEvent } from "../../src/agent/events.ts";
import { toolSet } from "../../src/agent/toolSet.ts";
import type { Deployment } from "../../src/app/deployment.ts";
import { investigate } from "../../src/app/investigate.ts";
import { timeWindow } from "../../src/app/timeWindow.ts";
import { toolLimitsFor } from "../../src/app/toolLimits.ts";
import { systemClock } from "../../src/clock/clock.ts";
import type { Model } from "../../src/model/model.ts";
import type { Report } from "../../src/report/report.ts";
import { type RunbookOptions, runbookModel } from "../../src/runbook/runbookModel.ts";
import type { RunbookTool } from "../../src/runbook/runbookTool.ts";

/** The runbook over a deployment, whose tools it calls by the names that the run offers them under. */
export function runbookFor(
  { registry, catalog, now }: Deployment,
  { since, ...options }: { readonly since: number } & Partial<RunbookOptions>,
): Model {
  const names = toolSet(registry.tools(), toolLimitsFor(1_000_000));
  const tools = new Map<string, RunbookTool[]>();
  for (const { server, tool } of registry.tools()) {
    const offered = names.nameOf(server, tool.name);
    const known = { name: tool.name, inputSchema: tool.inputSchema, ...(offered === undefined ? {} : { offered }) };
    tools.set(server, [...(tools.get(server) ?? []), known]);
  }
  return runbookModel({ catalog, tools, window: timeWindow({ since, now }), now, ...options });
}

/** A whole run with the runbook as its model. */
export async function investigateWith(
  deployment: Deployment,
  options: { readonly since: number } & Partial<RunbookOptions>,
): Promise<{ readonly report: Report; readonly events: readonly RunEvent[] }> {
  const model = runbookFor(deployment, options);
  const run = { question: "what is wrong?", window: { since: options.since }, model, clock: systemClock };
  const events: RunEvent[] = [];
  for await (const event of investigate(deployment, run, AbortSignal.timeout(120_000))) {
    if ("seq" in event) events.push(event);
  }
  const found = events.find((event) => event.type === "report");
  if (!found) throw new Error("the run gave no report");
  return { report: found.report, events };
}

/** The service that a report suspects first; undefined where it suspects none. */
export function firstSuspect({ findings }: Report, names: Iterable<string>): string | undefined {
  const known = new Set(names);
  const [first] = findings;
  const name = /^([\w.-]+): /.exec(first?.statement ?? "")?.[1];
  return name !== undefined && known.has(name) ? name : undefined;
}
