import type { Clock } from "../clock/clock.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../log/log.ts";
import { connectServer } from "../mcp/connectServer.ts";
import type { ProcessGroups } from "../mcp/processGroups.ts";
import { Registry, type RegistryObserver } from "../mcp/registry.ts";
import { recordedConnection } from "../recording/recordedConnection.ts";
import { type Recording, readRecording } from "../recording/recordingFile.ts";
import { type Redact, redactor } from "../redact/redact.ts";
import { type Catalog, load } from "../skill/catalog.ts";
import { version } from "./version.ts";

export interface DeploymentOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Child processes are registered here, so that the caller can end them whatever happens. */
  readonly groups: ProcessGroups;
  /** The process's own environment, of which child processes get a few variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Directory of the skills; default: the configuration's. */
  readonly skills?: string;
  /** Given what the run takes as now. */
  readonly observer?: (now: number) => Promise<RegistryObserver>;
}

/** What start-up leaves standing: servers, catalog, and how secrets are kept in. */
export interface Deployment extends AsyncDisposable {
  readonly config: Config;
  readonly redact: Redact;
  readonly registry: Registry;
  /** Loaded once. Files or servers that change later change nothing. */
  readonly catalog: Catalog;
  readonly skillsPath: string;
  /** What runs take as now, ms: the recording's time where servers are recordings. */
  readonly now: number;
}

/**
 * The start-up order: configuration, then MCP discovery, then the catalog, since the filter needs the servers that
 * actually connected. A server that fails is a state; a broken skill file or recording stops it (`CatalogError`,
 * `RecordingError`), and nothing is left running then.
 */
export async function startDeployment(config: Config, options: DeploymentOptions): Promise<Deployment> {
  const { log, clock, signal, groups } = options;
  const redact = redactor(config.secrets);
  const recordings = await readRecordings(config);
  const now = recordedTime(recordings, log) ?? clock.now();
  const observer = await options.observer?.(now);

  const registry = new Registry({
    servers: config.mcp.servers,
    connect: connectServer({
      version,
      groups,
      environment: options.environment,
      recording: async ({ file, from }) => recordedConnection(recordings.get(file) as Recording, from),
    }),
    redact,
    clock,
    log,
    connectTimeout: config.mcp.connectTimeout,
    callTimeout: config.mcp.callTimeout,
    ...(observer ? { observer } : {}),
  });
  try {
    await registry.start(signal);
    const skillsPath = options.skills ?? config.skills.path;
    const catalog = await load(skillsPath, registry.connected(), log);
    return { config, redact, registry, catalog, skillsPath, now, [Symbol.asyncDispose]: () => registry.close() };
  } catch (error) {
    await registry.close();
    throw error;
  }
}

async function readRecordings({ mcp }: Config): Promise<ReadonlyMap<string, Recording>> {
  const files = new Set(mcp.servers.flatMap((server) => (server.kind === "recording" ? [server.file] : [])));
  return new Map(await Promise.all([...files].map(async (file) => [file, await readRecording(file)] as const)));
}

/** Recordings of one incident can be files of their own that differ by seconds: the latest has seen it all. */
function recordedTime(recordings: ReadonlyMap<string, Recording>, log: Log): number | undefined {
  const times = [...recordings.values()].map(({ recordedAt }) => recordedAt);
  if (times.length === 0) return undefined;
  const latest = Math.max(...times);
  if (Math.min(...times) !== latest) {
    log.warn(
      { now: new Date(latest).toISOString() },
      "the recordings were made at different times: the latest is taken as now",
    );
  }
  return latest;
}
