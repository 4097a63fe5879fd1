import { resolve } from "node:path";
import { emptyState, fold, type RunState } from "../agent/runState.ts";
import { runSummary } from "../agent/runSummary.ts";
import { openGrounds } from "../app/grounds.ts";
import { investigate } from "../app/investigate.ts";
import type { Config } from "../config/config.ts";
import { durationPattern, parseDuration } from "../config/duration.ts";
import { modelFromFlag } from "../config/model.ts";
import { type Log, lineLog } from "../log/log.ts";
import { createModel } from "../model/createModel.ts";
import { parseInstant, timeWindow } from "../session/timeWindow.ts";
import { type CommandContext, type CommonOptions, commandConfig, printJson } from "./commandContext.ts";
import { type ExitCode, UsageError } from "./exitCode.ts";
import { givenSkills } from "./givenSkills.ts";
import { investigationCode } from "./investigationCode.ts";
import { noServers } from "./noServers.ts";
import type { ServerOption } from "./openSessions.ts";
import { renderLogLine } from "./renderLogLine.ts";
import { type ProgressView, progressView } from "./renderProgress.ts";
import { renderReport } from "./renderReport.ts";
import { workspaceFlag } from "./workspaceFlag.ts";

export interface InvestigateOptions extends CommonOptions, ServerOption {
  readonly detach?: boolean;
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
  readonly record?: string;
  readonly skills?: string;
  readonly model?: string;
  /** `NAME=VALUE`, each. */
  readonly set?: readonly string[];
  /** `NAME` or `NAME@REF`. */
  readonly workspace?: string;
}

/** `korvus investigate`: everything that can be wrong with the input is said before a server is started. */
export async function investigateCommand(
  context: CommandContext,
  question: string,
  options: InvestigateOptions,
): Promise<ExitCode> {
  const { terminal, clock, signal, groups, env: environment, cwd } = context;
  using progress = progressView(terminal);
  const log = progressLog(context, options, progress);
  const config = withModel(await commandConfig(context, options, log), options, { environment, log });
  const asked = (question === "-" ? await context.readInput() : question).trim();
  if (asked === "")
    throw new UsageError(
      'the question is empty\nask as you would ask a colleague: korvus investigate "why is checkout slow since 14:00?"',
    );
  const window = windowInput(options, config, clock.now());
  if (options.server !== undefined) {
    const { investigateRemotely } = await import("./investigateRemotely.ts");
    return await investigateRemotely(
      context,
      { question: asked, window, set: parseSettings(options.set), config, log },
      options,
    );
  }
  if (config.mcp.servers.length === 0) throw new UsageError(noServers(config));
  const set = parseSettings(options.set);
  const skills = givenSkills(cwd, options);
  // Made once more for the session: a key that is missing is told before a server is started.
  if (config.model) await createModel(config.model, { secrets: config.secrets, log });
  const workspace = options.workspace === undefined ? undefined : workspaceFlag(options.workspace, config);

  const { length: count } = config.mcp.servers;
  progress.working(`connecting to ${count} ${count === 1 ? "server" : "servers"}`);
  let state = emptyState;
  {
    await using grounds = await openGrounds(config, {
      log,
      clock,
      signal,
      groups,
      environment,
      ...(skills === undefined ? {} : { skills }),
      ...(options.record === undefined ? {} : { record: resolve(cwd, options.record) }),
    });
    const request = { question: asked, window, set, ...(workspace ? { workspace } : {}) };
    for await (const event of investigate(grounds, request, signal)) {
      progress.show(event);
      if ("seq" in event) state = fold(state, event);
    }
    progress.done();
    printReport(context, state, config, options);
  }
  if (state.ended?.reason === "model-failed") terminal.err("  --model runbook investigates without a language model\n");
  return investigationCode(state);
}

function printReport(context: CommandContext, state: RunState, config: Config, options: CommonOptions): void {
  const run = runSummary(state, config.model?.price);
  if (!run || !state.report) throw new Error("the run ended without a report");
  if (options.json) printJson(context, { report: state.report, run });
  else context.terminal.out(renderReport(state.report, run, context.terminal));
}

/** Warnings stand among the progress; a server that does not connect is shown there already. */
function progressLog({ terminal }: CommandContext, { logLevel }: CommonOptions, progress: ProgressView): Log {
  return lineLog(logLevel, (line) => {
    const shownAnyway = line.level === "warn" && line["state"] === "failed";
    if (!shownAnyway) progress.print(renderLogLine(line, terminal.errColors));
  });
}

function withModel(
  config: Config,
  { model: flag }: InvestigateOptions,
  { environment, log }: { readonly environment: CommandContext["env"]; readonly log: Log },
): Config {
  if (flag === undefined) return config;
  const { model: _configured, ...rest } = config;
  const { model, secrets } = modelFromFlag(flag, environment);
  if (model && config.budget.cost !== undefined) {
    log.warn({ model: flag }, "budget.cost does not hold for --model, whose price is not known");
  }
  return { ...rest, ...(model ? { model } : {}), secrets: [...config.secrets, ...secrets] };
}

/**
 * Reads the times now, so that a slip is told before servers are started. What they mean depends on the run's now, which
 * recordings replace.
 */
function windowInput({ since, from, to }: InvestigateOptions, { mcp }: Config, now: number) {
  if (since !== undefined && !durationPattern.test(since))
    throw new UsageError(`--since ${since} is no duration: write 30m, 2h or 1h30m`);
  for (const instant of [from, to]) if (instant !== undefined) parseInstant(instant, now);
  const window = {
    ...(since === undefined ? {} : { since: parseDuration(since) }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
  if (mcp.servers.every(({ kind }) => kind !== "recording")) timeWindow({ ...window, now });
  return window;
}

/** `name=value` pairs of `--set`. */
function parseSettings(settings: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    settings.map((setting) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.+)$/s.exec(setting) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`--set ${setting} is no NAME=VALUE, as service=checkout`);
      return [name, value];
    }),
  );
}
