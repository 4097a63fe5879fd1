import type { Registry } from "../mcp/registry.ts";
import type { ServerFact } from "../report/coverage.ts";
import type { DroppedSkill } from "../report/report.ts";
import type { Catalog } from "../skill/catalog.ts";

/** The configured servers as a run finds them. */
export function serverFacts(registry: Pick<Registry, "connected" | "states">): readonly ServerFact[] {
  const connected = new Set(registry.connected());
  return registry
    .states()
    .map(({ name, reason }) => ({ name, connected: connected.has(name), ...(reason === undefined ? {} : { reason }) }));
}

/** The skills that were not loaded, each with why its server is not there. */
export function droppedSkills(
  catalog: Pick<Catalog, "dropped">,
  registry: Pick<Registry, "states">,
): readonly DroppedSkill[] {
  const states = new Map(registry.states().map((state) => [state.name, state]));
  return catalog.dropped.map(({ name, mcpServer }) => {
    const state = states.get(mcpServer);
    const why = state ? `is not connected (${state.reason ?? state.state})` : "is not configured";
    return { name, mcpServer, reason: `${mcpServer} ${why}` };
  });
}
