import type { RunEvent } from "../../src/agent/events.ts";
import type { Deployment } from "../../src/app/deployment.ts";
import { surroundingsOf } from "../../src/app/grounds.ts";
import { investigate } from "../../src/app/investigate.ts";
import { systemClock } from "../../src/clock/clock.ts";
import { memoryLog } from "../../src/log/log.ts";
import type { Report } from "../../src/report/report.ts";
import { openStore } from "../../src/store/openStore.ts";
import type { Workspaces } from "../../src/workspace/workspace.ts";

/** A whole run without a model, over the last `since` ms. */
export async function investigateWith(
  deployment: Deployment,
  { since }: { readonly since: number },
): Promise<{ readonly report: Report; readonly events: readonly RunEvent[] }> {
  await using store = await openStore({ kind: "sqlite", path: ":memory:" }, { clock: systemClock, log: memoryLog() });
  const parts = { store, workspaces: noWorkspaces, clock: systemClock, log: memoryLog(), environment: {} };
  const surroundings = surroundingsOf(deployment, parts);
  const run = { question: "what is wrong?", window: { since } };
  const events: RunEvent[] = [];
  for await (const event of investigate(surroundings, run, AbortSignal.timeout(120_000))) {
    if ("seq" in event) events.push(event);
  }
  const found = events.find((event) => event.type === "report");
  if (!found) throw new Error("the run gave no report");
  return { report: found.report, events };
}

/** The runs of these tests are pinned to nothing. */
const noWorkspaces: Workspaces = {
  sources: [],
  resolve: () => Promise.reject(new Error("no workspaces here")),
  seed: () => Promise.reject(new Error("no workspaces here")),
  [Symbol.asyncDispose]: async () => undefined,
};

/** The service that a report suspects first; undefined where it suspects none. */
export function firstSuspect({ findings }: Report, names: Iterable<string>): string | undefined {
  const known = new Set(names);
  const [first] = findings;
  const name = /^([\w.-]+): /.exec(first?.statement ?? "")?.[1];
  return name !== undefined && known.has(name) ? name : undefined;
}
