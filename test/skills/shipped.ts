import { join } from "node:path";
import { memoryLog } from "../../src/log/log.ts";
import type { Block } from "../../src/query/block.ts";
import { blocksOf } from "../../src/query/blocksOf.ts";
import { load } from "../../src/skill/catalog.ts";
import type { Skill } from "../../src/skill/skill.ts";

export const skillsPath: string = join(import.meta.dirname, "../../skills");

/** The servers that the shipped skills are about, and the preset that knows each. */
export const servers = {
  prometheus: "prometheus-mcp",
  loki: "loki-mcp",
  tempo: "tempo",
  alertmanager: "mcp-alertmanager",
  kubernetes: "kubernetes-mcp-server",
  otel: "autotel-mcp",
} as const;

/** All shipped skills, as a deployment with every server has them. */
export async function shippedSkills(): Promise<readonly Skill[]> {
  const { skills } = await load(skillsPath, Object.keys(servers), memoryLog());
  return skills;
}

export async function shippedBlocks(server: keyof typeof servers): Promise<readonly Block[]> {
  const skills = await shippedSkills();
  return skills.filter(({ mcpServer }) => mcpServer === server).flatMap(({ body }) => blocksOf(body).blocks);
}
