import { existsSync } from "node:fs";
import { checkListen } from "../api/startApi.ts";
import { openWorkspaces } from "../app/grounds.ts";
import type { Config } from "../config/config.ts";
import { memoryLog } from "../log/log.ts";
import { openStore } from "../store/openStore.ts";
import { StoreError } from "../store/store.ts";
import { WorkspaceError, type WorkspaceSource, type Workspaces } from "../workspace/workspace.ts";
import type { CommandContext } from "./commandContext.ts";
import type { Check } from "./doctorCheck.ts";
import { exitCode } from "./exitCode.ts";
import { shownPath } from "./shownPath.ts";
import { grouped } from "./text.ts";

/** Whether sessions can be kept: nothing is investigated without. A file that is not there yet is not made. */
export async function storeChecks({ store: { database } }: Config, context: CommandContext): Promise<readonly Check[]> {
  const { clock, cwd } = context;
  const about = "store";
  const place = database.kind === "postgres" ? "PostgreSQL" : shownPath(database.path, cwd);
  if (database.kind === "sqlite" && database.path !== ":memory:" && !existsSync(database.path))
    return [{ about, state: "good", message: `${place}, which the first session makes` }];
  try {
    await using store = await openStore(database, { clock, log: memoryLog() });
    const { waiting, running, ended } = await store.counts();
    const counts = `${grouped(ended)} sessions ended, ${grouped(running)} running, ${grouped(waiting)} waiting`;
    return [{ about, state: "good", message: `${place}: ${counts}` }];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [{ about, state: "bad", message: error.message, remedy: "see store.url", code: exitCode.input }];
  }
}

/** Whether `korvus serve` would start where it is to listen. */
export function listenChecks({ server }: Config): readonly Check[] {
  try {
    checkListen({ listen: server, tokens: server.tokens });
    return [];
  } catch (error) {
    const remedy = "set server.tokens before korvus serve is started";
    return [
      { about: "server", state: "bad", message: (error as Error).message, remedy, code: exitCode.input, stops: false },
    ];
  }
}

/** Fetches every workspace: what a session without a ref would be pinned to now. */
export async function workspaceChecks(config: Config, context: CommandContext): Promise<readonly Check[]> {
  if (config.workspaces.length === 0) return [];
  const { clock, env: environment, signal } = context;
  try {
    await using workspaces = await openWorkspaces(config, { clock, log: memoryLog(), environment });
    return await Promise.all(config.workspaces.map((source) => workspaceCheck(source, workspaces, signal)));
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return [{ about: "workspaces", state: "bad", message: error.message, code: exitCode.input }];
  }
}

async function workspaceCheck(
  { name, ref }: WorkspaceSource,
  workspaces: Workspaces,
  signal: AbortSignal,
): Promise<Check> {
  try {
    const resolved = await workspaces.resolve(name, ref, signal);
    return { about: name, state: "good", message: `workspace, ${resolved.ref} is ${resolved.commit.slice(0, 12)}` };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    const remedy = `correct workspaces.${name}; other sessions go on without it`;
    return { about: name, state: "bad", message: error.message, remedy, code: exitCode.input, stops: false };
  }
}
