import type { RunEvent } from "../../src/agent/events.ts";
import type { Deployment } from "../../src/app/deployment.ts";
import { investigate } from "../../src/app/investigate.ts";
import { systemClock } from "../../src/clock/clock.ts";
import type { Report } from "../../src/report/report.ts";

/** A whole run without a model, over the last `since` ms. */
export async function investigateWith(
  deployment: Deployment,
  { since }: { readonly since: number },
): Promise<{ readonly report: Report; readonly events: readonly RunEvent[] }> {
  const run = { question: "what is wrong?", window: { since }, clock: systemClock };
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
