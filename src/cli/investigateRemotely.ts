import type { Config } from "../config/config.ts";
import type { Log } from "../log/log.ts";
import type { CreateSession } from "../session/session.ts";
import { type CommandContext, printJson } from "./commandContext.ts";
import { type ExitCode, exitCode, UsageError } from "./exitCode.ts";
import type { InvestigateOptions } from "./investigateCommand.ts";
import { remoteOf } from "./openSessions.ts";
import { watchToEnd } from "./sessionsCommands.ts";
import { workspaceFlag } from "./workspaceFlag.ts";

interface RemoteQuestion extends Pick<CreateSession, "question" | "window" | "set"> {
  readonly config: Config;
  readonly log: Log;
}

/** `korvus investigate --server`: the server makes and runs the session; here it is watched. Ctrl-C ends it with its report. */
export async function investigateRemotely(
  context: CommandContext,
  { config, log, ...question }: RemoteQuestion,
  options: InvestigateOptions,
): Promise<ExitCode> {
  const { clock, env, signal, terminal } = context;
  const { server = "", workspace, model, record, skills } = options;
  if (record !== undefined || skills !== undefined)
    throw new UsageError("with --server, the server records and has the skills: leave out --record and --skills");
  const { remoteSessions } = await import("../api/remoteSessions.ts");
  const sessions = remoteSessions({ ...remoteOf({ ...options, server }, env), log, clock });
  const { id } = await sessions.create(
    {
      ...question,
      queued: true,
      idempotencyKey: clock.id(),
      ...(workspace === undefined ? {} : { workspace: workspaceFlag(workspace) }),
      ...(model === undefined ? {} : { model }),
    },
    signal,
  );
  if (options.detach) {
    if (options.json) printJson(context, { session: id });
    else terminal.out(`${id}\n`);
    return exitCode.done;
  }
  const stopped = new AbortController();
  const cancel = async () => {
    // What cannot be cancelled ends by its budget; the watch goes on to tell.
    await sessions.cancel(id).catch((error: unknown) => log.warn({}, `not cancelled: ${(error as Error).message}`));
  };
  const onAbort = () => void cancel();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await watchToEnd({ ...context, signal: stopped.signal }, { id, open: { sessions, config }, options });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
