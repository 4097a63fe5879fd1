import { emptyState, fold } from "../agent/runState.ts";
import { openGrounds } from "../app/grounds.ts";
import { deadAfter } from "../session/claims.ts";
import { runHere } from "../session/runHere.ts";
import { SessionError } from "../session/session.ts";
import { sessionReader } from "../session/sessions.ts";
import { storedEvents } from "../session/storedLog.ts";
import type { SessionRow, SessionStatus } from "../store/store.ts";
import { type CommandContext, type CommonOptions, commandConfig, commandLog, printJson } from "./commandContext.ts";
import { type ExitCode, exitCode, UsageError } from "./exitCode.ts";
import { investigationCode } from "./investigationCode.ts";
import { openSessions, type ServerOption } from "./openSessions.ts";
import { progressView } from "./renderProgress.ts";
import { renderReport } from "./renderReport.ts";
import { sessionTable, stateOf } from "./sessionRows.ts";
import { visible, visibleLines } from "./text.ts";

type SessionOptions = CommonOptions & ServerOption;

export interface ListOptions extends SessionOptions {
  readonly status?: string;
  readonly workspace?: string;
  readonly text?: string;
  readonly limit?: string;
}

async function opened(context: CommandContext, options: SessionOptions) {
  const log = commandLog(context, options);
  const config = await commandConfig(context, options, log);
  return { config, log, ...(await openSessions(context, { config, options, log })) };
}

export async function sessionsList(context: CommandContext, options: ListOptions): Promise<ExitCode> {
  const { status, workspace, text, limit = "20" } = options;
  if (status !== undefined && !["waiting", "running", "ended"].includes(status))
    throw new UsageError(`--status ${status}: expected waiting, running or ended`);
  if (!/^[1-9]\d{0,3}$/.test(limit)) throw new UsageError(`--limit ${limit}: expected a number from 1 to 9999`);
  await using open = await opened(context, options);
  const { sessions, next } = await open.sessions.list({
    limit: Number(limit),
    ...(status === undefined ? {} : { status: status as SessionStatus }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(text === undefined ? {} : { text }),
  });
  const { terminal, clock } = context;
  if (options.json) {
    printJson(context, { sessions: sessions.map((row) => ({ ...row, state: stateOf(row, clock.now()) })), next });
    return exitCode.done;
  }
  if (sessions.length === 0) terminal.err('  no sessions: korvus investigate "why is checkout slow?" makes one\n');
  else terminal.out(sessionTable(sessions, { now: clock.now(), width: terminal.width }));
  if (next !== undefined) terminal.err(`  there are more: --limit shows them\n`);
  return exitCode.done;
}

export async function sessionsShow(
  context: CommandContext,
  id: string,
  options: SessionOptions & { readonly call?: string; readonly prompt?: boolean },
): Promise<ExitCode> {
  await using open = await opened(context, options);
  const { terminal, clock } = context;
  if (options.prompt) {
    const prompt = await open.sessions.prompt(id);
    if (options.json) printJson(context, prompt);
    else terminal.out(prompt.text);
    return exitCode.done;
  }
  const row = await open.sessions.get(id);
  if (options.call !== undefined) return await showCall(context, { row, call: options.call, open, options });
  const found = await open.sessions.report(id);
  if (options.json) {
    printJson(context, { session: { ...row, state: stateOf(row, clock.now()) }, ...found });
    return exitCode.done;
  }
  terminal.out(header(row, clock.now()));
  if (found) terminal.out(renderReport(found.report, found.run, terminal));
  else terminal.err(`  no report yet: korvus sessions watch ${row.id.slice(0, 12)} shows what happens\n`);
  return exitCode.done;
}

function header(row: SessionRow, now: number): string {
  const pinned =
    row.workspace === undefined ? [] : [`workspace ${row.workspace} ${row.workspaceRef?.slice(0, 7)} (${row.ref})`];
  const lines = [
    `session  ${row.id}`,
    `question ${row.question}`,
    `state    ${stateOf(row, now)}${row.ended === undefined ? "" : `, last run: ${row.ended}`}${row.owner === undefined ? "" : `, by ${row.owner}`}`,
    ...pinned,
    ...(row.noSkills === undefined ? [] : [`skills   none: ${row.noSkills}`]),
    `model    ${row.model}`,
    `digests  catalog ${row.catalogDigest.slice(0, 12)}, prompt ${row.promptDigest.slice(0, 12)}`,
  ];
  return lines.map((line) => `  ${visible(line)}\n`).join("");
}

interface CallView {
  readonly row: SessionRow;
  readonly call: string;
  readonly open: Awaited<ReturnType<typeof opened>>;
  readonly options: SessionOptions;
}

async function showCall(context: CommandContext, { row, call, open, options }: CallView): Promise<ExitCode> {
  if (!/^[1-9]\d{0,5}$/.test(call)) throw new UsageError(`--call ${call}: expected the number of a call, as in [3]`);
  const number = Number(call);
  const run = (await open.sessions.report(row.id))?.run;
  const made = run?.calls.find((known) => known.call === number);
  const result = await open.sessions.result(row.id, number);
  if (!made && result === undefined)
    throw new SessionError("not-found", `session ${row.id.slice(0, 12)} has no call ${number}`);
  if (options.json) {
    printJson(context, { call: made, result });
    return exitCode.done;
  }
  const { terminal } = context;
  if (made) {
    terminal.out(`  call ${number}   ${visible(made.server ?? "built-in")} ${visible(made.tool)}   ${made.outcome}\n`);
    terminal.out(`  ${visible(JSON.stringify(made.arguments))}\n\n`);
  }
  const { resultText } = await import("../result/toolResult.ts");
  const text =
    result === undefined
      ? (made?.message ?? "no result was kept")
      : resultText(result as Parameters<typeof resultText>[0]);
  terminal.out(`${visibleLines(text)}\n`);
  return exitCode.done;
}

export async function sessionsWatch(context: CommandContext, id: string, options: SessionOptions): Promise<ExitCode> {
  await using open = await opened(context, options);
  return await watchToEnd(context, { id, open, options });
}

interface Watching {
  readonly id: string;
  readonly open: Pick<Awaited<ReturnType<typeof opened>>, "sessions" | "config">;
  readonly options: SessionOptions;
}

/** Shows the events as they come, then the report. Ctrl-C leaves the session alone. */
export async function watchToEnd(context: CommandContext, { id, open, options }: Watching): Promise<ExitCode> {
  const { terminal, signal } = context;
  using progress = progressView(terminal);
  let state = emptyState;
  for await (const event of open.sessions.watch(id, { after: 0 }, signal)) {
    progress.show(event);
    state = fold(state, event);
  }
  progress.done();
  if (signal.aborted) {
    terminal.err("  no longer watched; the session goes on: korvus sessions cancel ends it\n");
    return exitCode.interrupted;
  }
  const found = await open.sessions.report(id);
  if (!found) throw new SessionError("not-found", "the session ended without a report");
  if (options.json) printJson(context, found);
  else terminal.out(renderReport(found.report, found.run, terminal));
  return investigationCode(state);
}

/** Goes on here with a session of the store; one that a worker takes is asked, and watched. */
export async function sessionsResume(
  context: CommandContext,
  { id, question }: { readonly id: string; readonly question: string | undefined },
  options: SessionOptions,
): Promise<ExitCode> {
  await using open = await opened(context, options);
  const row = await open.sessions.get(id);
  if (options.server !== undefined || row.queued) {
    if (question !== undefined) await open.sessions.send(row.id, { question });
    return await watchToEnd(context, { id: row.id, open, options });
  }
  if (row.status === "ended" && question === undefined)
    throw new UsageError(
      `session ${row.id.slice(0, 12)} has ended\na further question goes on with it: korvus sessions resume ${row.id.slice(0, 12)} "..."`,
    );
  return await runToEnd(context, { row, question, options, signal: context.signal });
}

interface Running {
  readonly row: SessionRow;
  readonly question?: string | undefined;
  readonly options: SessionOptions;
  readonly signal: AbortSignal;
}

async function runToEnd(context: CommandContext, { row, question, options, signal }: Running): Promise<ExitCode> {
  const { terminal, clock, groups, env: environment } = context;
  const log = commandLog(context, options);
  const config = await commandConfig(context, options, log);
  using progress = progressView(terminal);
  progress.working("connecting");
  // The signal ends the run with a report; the servers are started whatever it says.
  const start = new AbortController().signal;
  await using grounds = await openGrounds(config, { log, clock, signal: start, groups, environment });
  // Where servers are recordings, it is asked at their time.
  if (question !== undefined) await sessionReader(grounds).send(row.id, { question });
  let state = emptyState;
  for await (const event of storedEvents(grounds.store, row.id, 0)) state = fold(state, event);
  for await (const event of runHere(row.id, grounds, signal)) {
    progress.show(event);
    if ("seq" in event) state = fold(state, event);
  }
  progress.done();
  const { runSummary } = await import("../agent/runSummary.ts");
  const run = runSummary(state, config.model?.price);
  if (!run || !state.report) throw new SessionError("damaged", "the run ended without a report");
  if (options.json) printJson(context, { report: state.report, run });
  else terminal.out(renderReport(state.report, run, terminal));
  return investigationCode(state);
}

export async function sessionsCancel(context: CommandContext, id: string, options: SessionOptions): Promise<ExitCode> {
  await using open = await opened(context, options);
  const { terminal, clock } = context;
  const row = await open.sessions.cancel(id);
  const state = stateOf(row, clock.now());
  if (row.status !== "ended" && !row.queued && open.store && (row.aliveAt ?? 0) < clock.now() - deadAfter) {
    // Nobody has it, and nobody will take it: its report is written here.
    return await runToEnd(context, { row, options, signal: AbortSignal.abort(new Error("the session was cancelled")) });
  }
  if (options.json) printJson(context, { session: { ...row, state } });
  else terminal.err(`  ${row.status === "ended" ? "it has ended already" : "it ends with the report so far"}\n`);
  return exitCode.done;
}
