import { createHash } from "node:crypto";
import { systemPrompt } from "../agent/systemPrompt.ts";
import { type Log, memoryLog } from "../log/log.ts";
import { estimateTokens } from "../model/estimateTokens.ts";
import type { DroppedSkill } from "../report/report.ts";
import { droppedSkills } from "../session/facts.ts";
import { type Catalog, load } from "../skill/catalog.ts";
import type { Skill } from "../skill/skill.ts";
import { type CommandContext, type CommonOptions, commandConfig, commandLog, printJson } from "./commandContext.ts";
import { type ExitCode, exitCode, UsageError } from "./exitCode.ts";
import { givenSkills } from "./givenSkills.ts";
import { shownPath } from "./shownPath.ts";
import { table } from "./table.ts";
import { grouped, visible, visibleLines } from "./text.ts";

export interface SkillsOptions extends CommonOptions {
  readonly skills?: string;
  /** Counts every server that a skill names as connected, and connects to none. */
  readonly offline?: boolean;
}

interface LoadedSkills {
  readonly path: string;
  readonly catalog: Catalog;
  readonly dropped: readonly DroppedSkill[];
}

export async function skillsList(context: CommandContext, options: SkillsOptions): Promise<ExitCode> {
  const { terminal, cwd } = context;
  const { path, catalog, dropped } = await loadSkills(context, options);
  const sized = catalog.skills.map((skill) => ({ ...skill, tokens: estimateTokens(skill.body) }));
  const tokens = sized.reduce((sum, skill) => sum + skill.tokens, 0);
  const promptTokens = estimateTokens(systemPrompt(catalog));
  if (options.json) {
    const skills = sized.map(({ body: _body, ...skill }) => ({ ...skill, tags: [...skill.tags], state: "loaded" }));
    printJson(context, { path, digest: catalog.digest, tokens, promptTokens, skills, dropped });
    return exitCode.done;
  }
  if (sized.length + dropped.length === 0) {
    terminal.out(`  no skills in ${shownPath(path, cwd)}\n`);
    return exitCode.done;
  }
  const loaded = sized.map(({ name, mcpServer = "-", tags, tokens }) => [
    name,
    mcpServer,
    tags.join(", ") || "-",
    tokens,
    "loaded",
  ]);
  const missing = dropped.map(({ name, mcpServer, reason }) => [name, mcpServer, "-", "-", `dropped: ${reason}`]);
  terminal.out(table(["name", "server", "tags", "tokens", "state"], [...loaded, ...missing]));
  const count = `${sized.length} of ${sized.length + dropped.length} loaded from ${shownPath(path, cwd)}`;
  const size = `${grouped(tokens)} tokens of bodies in every prompt`;
  terminal.out(`  ${count}, ${size}, digest ${catalog.digest.slice(0, 8)}\n`);
  return exitCode.done;
}

export async function skillsShow(context: CommandContext, name: string, options: SkillsOptions): Promise<ExitCode> {
  const { catalog, dropped } = await loadSkills(context, options);
  const found = catalog.skills.filter((skill) => skill.name === name);
  if (found.length === 0) throw new UsageError(notFound(name, catalog, dropped));
  if (options.json)
    printJson(
      context,
      found.map((skill) => ({ ...skill, tokens: estimateTokens(skill.body) })),
    );
  else for (const skill of found) context.terminal.out(shownSkill(skill));
  return exitCode.done;
}

/** Prints the system prompt as a run would get it, byte for byte. */
export async function skillsPrompt(context: CommandContext, options: SkillsOptions): Promise<ExitCode> {
  const { catalog } = await loadSkills(context, options);
  const prompt = systemPrompt(catalog);
  if (options.json) {
    const digest = createHash("sha256").update(prompt).digest("hex");
    printJson(context, { prompt, digest, tokens: estimateTokens(prompt), catalog: catalog.digest });
  } else context.terminal.out(prompt);
  return exitCode.done;
}

async function loadSkills(context: CommandContext, options: SkillsOptions): Promise<LoadedSkills> {
  const log = commandLog(context, options);
  const config = await commandConfig(context, options, log);
  const path = givenSkills(context.cwd, options) ?? config.skills.path;
  if (options.offline) return { path, catalog: await loadAll(path, log), dropped: [] };
  if (config.mcp.servers.length === 0) {
    const catalog = await load(path, [], log);
    return { path, catalog, dropped: droppedSkills(catalog, { states: () => [] }) };
  }
  // Loaded only here: without servers nothing of MCP is needed, and this command is to start at once.
  const { startDeployment } = await import("../app/deployment.ts");
  const { clock, signal, groups, env: environment } = context;
  await using deployment = await startDeployment(config, { log, clock, signal, groups, environment, skills: path });
  return { path, catalog: deployment.catalog, dropped: droppedSkills(deployment.catalog, deployment.registry) };
}

async function loadAll(path: string, log: Log): Promise<Catalog> {
  const { dropped } = await load(path, [], memoryLog());
  return await load(path, new Set(dropped.map(({ mcpServer }) => mcpServer)), log);
}

function notFound(name: string, { skills }: Catalog, dropped: readonly DroppedSkill[]): string {
  const drop = dropped.find((skill) => skill.name === name);
  if (drop) return `the skill ${name} was dropped: ${drop.reason}\n--offline shows it all the same`;
  return `there is no skill named ${name}\nloaded are: ${skills.map((skill) => skill.name).join(", ") || "none"}`;
}

function shownSkill({ name, description, tags, mcpServer, body }: Skill): string {
  const fields = [
    ["name", name],
    ["description", description],
    ["tags", tags.join(", ")],
    ["server", mcpServer ?? "(none: always loaded)"],
    ["tokens", grouped(estimateTokens(body))],
  ] as const;
  const shown = fields
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `  ${key.padEnd(12)}${visible(value)}\n`);
  return `${shown.join("")}\n${visibleLines(body)}\n\n`;
}
