import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../clock/clock.ts";
import { estimateTokens } from "../model/estimateTokens.ts";
import { deadAfter } from "../session/claims.ts";
import type { Skill } from "../skill/skill.ts";
import type { SystemService } from "../wire/system_pb.ts";
import type { SystemView } from "./systemView.ts";

/** What this Korvus is, from memory; only the store is asked. */
export function systemService(system: SystemView, clock: Clock): ServiceImpl<typeof SystemService> {
  const { catalog, dropped } = system;
  return {
    listSkills: () => ({ skills: catalog.skills.map(toWire), dropped: [...dropped], catalogDigest: catalog.digest }),
    getSkill({ name }) {
      const skill = catalog.skills.find((known) => known.name === name);
      if (skill) return { result: { case: "loaded", value: { skill: toWire(skill), body: skill.body } } };
      const gone = dropped.find((known) => known.name === name);
      if (gone) return { result: { case: "dropped", value: gone } };
      throw new ConnectError(`no skill named ${JSON.stringify(name)}`, Code.NotFound);
    },
    async getSystemStatus() {
      const { store, version, promptTokens, model } = system;
      const [size, counts, workers] = await Promise.all([
        store.size(),
        store.counts(),
        store.workers(clock.now() - deadAfter),
      ]);
      return {
        version,
        skillsLoaded: catalog.skills.length,
        skillsDropped: dropped.length,
        catalogDigest: catalog.digest,
        promptTokens,
        model,
        servers: system
          .servers()
          .map(({ name, transport, state, reason = "", tools }) => ({ name, transport, state, reason, tools })),
        store: {
          kind: store.kind,
          ...(size === undefined ? {} : { size: BigInt(size) }),
          sessionsWaiting: counts.waiting,
          sessionsRunning: counts.running,
          sessionsEnded: counts.ended,
        },
        workers: workers.map(({ name, version, aliveAt, running, limit }) => ({
          name,
          version,
          aliveAt: BigInt(aliveAt),
          sessionsRunning: running,
          sessionsLimit: limit,
        })),
      };
    },
  };
}

function toWire({ name, description, tags, mcpServer, body }: Skill) {
  const server = mcpServer === undefined ? {} : { mcpServer };
  return { name, description, tags: [...tags], tokens: estimateTokens(body), ...server };
}
