import type { Config } from "../config/config.ts";
import type { Log } from "../log/log.ts";
import { redactor } from "../redact/redact.ts";
import type { Sessions } from "../session/session.ts";
import { sessionReader } from "../session/sessions.ts";
import { openStore } from "../store/openStore.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext, CommonOptions } from "./commandContext.ts";
import { UsageError } from "./exitCode.ts";

export interface ServerOption {
  /** A Korvus server that has the sessions, instead of the configured store. */
  readonly server?: string;
  /** Environment variable that holds its token. */
  readonly tokenEnv?: string;
}

export interface OpenSessions extends AsyncDisposable {
  readonly sessions: Omit<Sessions, "create">;
  /** Absent where they are a server's. */
  readonly store?: Store;
}

/** The sessions of a server, or of the configured store; neither servers nor skills are needed for them. */
export async function openSessions(
  { clock, env }: CommandContext,
  {
    config,
    options,
    log,
  }: { readonly config: Config; readonly options: CommonOptions & ServerOption; readonly log: Log },
): Promise<OpenSessions> {
  if (options.server !== undefined) {
    const { remoteSessions } = await import("../api/remoteSessions.ts");
    const sessions = remoteSessions({ ...remoteOf({ ...options, server: options.server }, env), log, clock });
    return { sessions, [Symbol.asyncDispose]: async () => undefined };
  }
  const store = await openStore(config.store.database, { clock, log });
  const now = () => Math.floor(clock.now() / 1000) * 1000;
  const sessions = sessionReader({ store, redact: redactor(config.secrets), clock, now });
  return { sessions, store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

/** Address and token of a server. */
export function remoteOf(
  { server, tokenEnv = "KORVUS_TOKEN" }: ServerOption & { readonly server: string },
  env: CommandContext["env"],
): { readonly url: string; readonly token?: string } {
  if (!/^https?:\/\/[^/]/.test(server) || !URL.canParse(server))
    throw new UsageError(`--server ${server} is no address, as http://127.0.0.1:7700`);
  const token = env[tokenEnv];
  if (token === undefined && tokenEnv !== "KORVUS_TOKEN")
    throw new UsageError(`the environment variable ${tokenEnv}, which --token-env names, is not set`);
  return { url: server.replace(/\/+$/, ""), ...(token === undefined ? {} : { token }) };
}
