import type { CallFact, CallOutcome } from "./callOutcome.ts";
import type { ServerCoverage, ServerState } from "./report.ts";

/** A configured server as the run found it at its start. */
export interface ServerFact {
  readonly name: string;
  readonly connected: boolean;
  /** Why it is not connected. */
  readonly reason?: string;
}

/** What was asked of each configured server and what came of it, by name. */
export function serverCoverage(servers: readonly ServerFact[], calls: readonly CallFact[]): readonly ServerCoverage[] {
  return servers.map(({ name, connected, reason }) => {
    const counts: Partial<Record<CallOutcome, number>> = {};
    for (const { server, outcome } of calls) if (server === name) counts[outcome] = (counts[outcome] ?? 0) + 1;
    return {
      server: name,
      state: connected ? stateOf(counts) : "not connected",
      calls: counts,
      ...(reason === undefined ? {} : { reason }),
    };
  });
}

function stateOf(counts: Partial<Record<CallOutcome, number>>): ServerState {
  if (counts.ok) return "answered";
  if (counts.empty) return "empty";
  return counts.error || counts.timeout || counts.unknown ? "failed" : "not asked";
}
