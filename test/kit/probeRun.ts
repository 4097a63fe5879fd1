import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { memoryEventLog } from "../../src/agent/eventLog.ts";
import type { Ephemeral, RunEvent } from "../../src/agent/events.ts";
import { noLimits } from "../../src/agent/limits.ts";
import { rulesPolicy } from "../../src/agent/policy.ts";
import { promptOf } from "../../src/agent/prompt.ts";
import type { RunContext } from "../../src/agent/runContext.ts";
import { systemPrompt } from "../../src/agent/systemPrompt.ts";
import { toolSet } from "../../src/agent/toolSet.ts";
import { systemClock } from "../../src/clock/clock.ts";
import type { StdioServer } from "../../src/config/config.ts";
import { memoryLog } from "../../src/log/log.ts";
import { connectServer } from "../../src/mcp/connectServer.ts";
import { ProcessGroups } from "../../src/mcp/processGroups.ts";
import { Registry } from "../../src/mcp/registry.ts";
import { scriptedModel } from "../../src/model/scriptedModel.ts";
import { redactor } from "../../src/redact/redact.ts";
import type { Report } from "../../src/report/report.ts";
import { load } from "../../src/skill/catalog.ts";
import { directoryResults } from "./directoryResults.ts";
import { tempDir } from "./tempDir.ts";

type ScriptedSteps = Parameters<typeof scriptedModel>[0]["steps"];

/** The probe server as a configuration has it. */
export function probeServer(directory: string, name = "probe"): StdioServer {
  const program = join(import.meta.dirname, "probeServer.ts");
  const env = { PROBE_LOG: join(directory, "calls.jsonl") };
  return { kind: "stdio", name, command: process.execPath, args: [program], env, cwd: directory, denyTools: [] };
}

/** A run of the loop over a real probe server, its model scripted. */
export async function probeRun(
  options: { readonly directory?: string; readonly skills?: Record<string, string> } = {},
) {
  const own = options.directory === undefined ? await tempDir() : undefined;
  const directory = options.directory ?? (own as { path: string }).path;
  await using skillsDir = await tempDir(
    options.skills ?? { "probe.md": "---\nname: probe-skill\nmcp_server: probe\n---\nUse echo." },
  );
  const groups = new ProcessGroups();
  const log = memoryLog();
  const redact = redactor([]);
  const registry = new Registry({
    servers: [probeServer(directory)],
    connect: connectServer({
      version: "0",
      groups,
      environment: process.env,
      recording: () => Promise.reject(new Error("no recordings here")),
    }),
    redact,
    clock: systemClock,
    log,
    connectTimeout: 10_000,
    callTimeout: 5_000,
  });
  await registry.start(AbortSignal.timeout(15_000));
  const catalog = await load(skillsDir.path, registry.connected(), log);

  return {
    directory,
    registry,
    catalog,
    log,
    /** What a run works with, with the given script as its model. */
    context(steps: ScriptedSteps, overrides: Partial<RunContext> = {}): RunContext {
      return {
        question: redact("why is checkout slow?"),
        window: { from: 1_700_000_000_000, to: 1_700_001_800_000, baselineFrom: 1_699_998_200_000 },
        model: scriptedModel({ steps }),
        prompt: promptOf(systemPrompt(catalog)),
        catalog,
        skillsDropped: [],
        servers: [{ name: "probe", connected: true }],
        fingerprints: {},
        tools: toolSet(registry.tools(), { tools: 128, tokens: 30_000 }),
        callServer: (server, tool, args, call) => registry.call(server, tool, args, call),
        policy: rulesPolicy({ allow: [], ask: [], deny: [] }),
        results: directoryResults(join(directory, "results")),
        limits: noLimits,
        budget: { steps: 20, tokens: 1_000_000, time: 60_000, resultTokens: 25_000 },
        log: memoryEventLog(),
        clock: systemClock,
        ...overrides,
      };
    },
    /** Every call that reached the server, in order. */
    effects(): readonly { tool: string; args: unknown }[] {
      const file = join(directory, "calls.jsonl");
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { tool: string; args: unknown });
    },
    async [Symbol.asyncDispose]() {
      await registry.close();
      await own?.[Symbol.asyncDispose]();
    },
  };
}

/** Everything that a run yields. */
export async function drain(run: AsyncIterable<RunEvent | Ephemeral>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) if (event.type !== "delta") events.push(event);
  return events;
}

export function reportOf(events: readonly RunEvent[]): Report {
  const found = events.find((event) => event.type === "report");
  if (!found) throw new Error("the run gave no report");
  return found.report;
}

/** Calls of the `report` tool, as a script writes them. */
export function reportCall(verdict: string, ...citations: readonly (readonly [call: number, server: string])[]) {
  const findings = citations.map(([call, server]) => ({
    statement: `call ${call} shows it`,
    evidence: [{ call, server }],
  }));
  return {
    name: "report",
    arguments: { summary: "payments is slow", verdict, findings, next_steps: ["look at payments"] },
  };
}
