import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EventLog, memoryEventLog } from "../agent/eventLog.ts";
import type { Ephemeral, RunEvent } from "../agent/events.ts";
import { noLimits } from "../agent/limits.ts";
import { runLoop } from "../agent/loop.ts";
import { rulesPolicy } from "../agent/policy.ts";
import { systemPrompt } from "../agent/systemPrompt.ts";
import { toolSet } from "../agent/toolSet.ts";
import type { Clock } from "../clock/clock.ts";
import { estimateTokens } from "../model/estimateTokens.ts";
import type { Model } from "../model/model.ts";
import type { DroppedSkill } from "../report/report.ts";
import { directoryResults } from "../result/directoryResults.ts";
import type { Deployment } from "./deployment.ts";
import { droppedSkills, serverFacts } from "./facts.ts";
import { noServerModel } from "./noServerModel.ts";
import { runbookFor } from "./runbookFor.ts";
import { timeWindow, type WindowInput } from "./timeWindow.ts";
import { toolLimitsFor } from "./toolLimits.ts";

export interface Investigation {
  readonly question: string;
  readonly window: Omit<WindowInput, "now">;
  /** Absent: runbook, which follows the queries of the skills. */
  readonly model?: Model;
  /** Values for the holes in the skills' queries, by name; runbook reads them. */
  readonly set?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Where the run's events go; default: memory. */
  readonly log?: EventLog;
}

/** What happens before the run has events of its own. */
export type Progress =
  | {
      readonly type: "server";
      readonly name: string;
      readonly connected: boolean;
      readonly reason?: string;
      readonly tools: number;
      readonly connectMs: number;
    }
  | {
      readonly type: "skills";
      readonly loaded: number;
      readonly dropped: readonly DroppedSkill[];
      readonly digest: string;
      readonly promptTokens: number;
      /** The prompt takes a larger share of the model's window than the configuration finds right. */
      readonly large: boolean;
    };

/**
 * One investigation over a deployment: yields what happens, ends after `run.ended`. The system prompt is made once, here.
 * An abort of `signal` ends in a report as well. Throws `WindowError` before anything is asked.
 */
export async function* investigate(
  deployment: Deployment,
  { question, window, model: given, set = {}, clock, log = memoryEventLog() }: Investigation,
  signal: AbortSignal,
): AsyncGenerator<RunEvent | Ephemeral | Progress, void> {
  const { config, registry, catalog, redact, now } = deployment;
  const range = timeWindow({ ...window, now });
  const tools = toolSet(registry.tools(), toolLimitsFor(given?.window));
  const model = given ?? runbookFor(deployment, { window: range, offered: tools, set });
  const system = systemPrompt(catalog);
  const dropped = droppedSkills(catalog, registry);
  for (const { name, state, reason, tools, connectMs } of registry.states()) {
    yield {
      type: "server",
      name,
      connected: state === "connected",
      tools,
      connectMs,
      ...(reason === undefined ? {} : { reason }),
    };
  }
  const promptTokens = estimateTokens(system);
  const large = promptTokens > config.skills.warnShare * model.window;
  yield { type: "skills", loaded: catalog.skills.length, dropped, digest: catalog.digest, promptTokens, large };

  const directory = await resultsDirectory();
  try {
    yield* runLoop(
      {
        question: redact(question),
        window: range,
        model: registry.connected().length === 0 ? noServerModel() : model,
        system,
        catalog,
        skillsDropped: dropped,
        servers: serverFacts(registry),
        fingerprints: Object.fromEntries(
          registry
            .states()
            .flatMap(({ name, fingerprint }) => (fingerprint === undefined ? [] : [[name, fingerprint]])),
        ),
        tools,
        callServer: (server, tool, args, options) => registry.call(server, tool, args, options),
        policy: rulesPolicy(config.policy),
        results: directoryResults(directory),
        limits: noLimits,
        budget: config.budget,
        ...(config.model?.price ? { price: config.model.price } : {}),
        log,
        clock,
      },
      signal,
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** There is no place for the results of a run. */
class TemporaryDirectoryError extends Error {
  override readonly name = "TemporaryDirectoryError";
  readonly code = "no-temporary-directory";
}

async function resultsDirectory(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), "korvus-run-"));
  } catch (cause) {
    const message = `results cannot be kept in ${tmpdir()}: ${(cause as Error).message}\nTMPDIR names another place`;
    throw new TemporaryDirectoryError(message, { cause });
  }
}
