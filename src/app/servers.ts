import type { Clock } from "../clock/clock.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../log/log.ts";
import { connectServer } from "../mcp/connectServer.ts";
import type { ProcessGroups } from "../mcp/processGroups.ts";
import { Registry } from "../mcp/registry.ts";
import { recordedConnection } from "../recording/recordedConnection.ts";
import { createRecorder } from "../recording/recorder.ts";
import { type Recording, readRecording } from "../recording/recordingFile.ts";
import { recordingObserver } from "../recording/recordingObserver.ts";
import { type Redact, redactor } from "../redact/redact.ts";
import { version } from "./version.ts";

export interface ServersOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Child processes are registered here, so that the caller can end them whatever happens. */
  readonly groups: ProcessGroups;
  /** The process's own environment, of which child processes get a few variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** New file that everything which passes the servers is recorded to. */
  readonly record?: string;
}

/**
 * The configured servers after MCP discovery. Disposing ends them, and rejects with `RecordingError` when a recording is
 * not whole.
 */
export interface Servers extends AsyncDisposable {
  readonly config: Config;
  readonly redact: Redact;
  readonly registry: Registry;
  /** What runs take as now where servers are recordings, or a recording is being written, which is replayed at its time; ms. */
  readonly recordedNow?: number;
  /** Ends them instead of disposing, when the start fails further on: no recording is left of a run that never was. */
  abandon(): Promise<void>;
}

/**
 * Connects to every configured server. One that fails is a state; a recording that cannot be read or written is a
 * `RecordingError`, and nothing is left running then.
 */
export async function connectServers(config: Config, options: ServersOptions): Promise<Servers> {
  const { log, clock, signal, groups, environment } = options;
  const redact = redactor(config.secrets);
  const recordings = await readRecordings(config);
  const replayed = recordedTime(recordings, log);
  // To the second: what people and backends write, and all that a window needs.
  const recordedAt = replayed ?? Math.floor(clock.now() / 1000) * 1000;
  const recordedNow = options.record === undefined ? replayed : recordedAt;
  const recorder = options.record === undefined ? undefined : await createRecorder(options.record, { recordedAt });

  const registry = new Registry({
    servers: config.mcp.servers,
    connect: connectServer({
      version,
      groups,
      environment,
      recording: async ({ file, from }) => recordedConnection(recordings.get(file) as Recording, from),
    }),
    redact,
    clock,
    log,
    connectTimeout: config.mcp.connectTimeout,
    callTimeout: config.mcp.callTimeout,
    ...(recorder ? { observer: recordingObserver(recorder) } : {}),
  });
  const abandon = async () => {
    await registry.close();
    await recorder?.discard();
  };
  try {
    await registry.start(signal);
  } catch (error) {
    await abandon();
    throw error;
  }
  for (const { name, state, reason = redact("no reason given") } of registry.states()) {
    if (state === "failed") recorder?.add({ type: "not-connected", server: name, reason });
  }
  return {
    config,
    redact,
    registry,
    ...(recordedNow === undefined ? {} : { recordedNow }),
    abandon,
    async [Symbol.asyncDispose]() {
      await registry.close();
      await recorder?.close();
    },
  };
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
    const now = new Date(latest).toISOString();
    log.warn({ now }, "the recordings were made at different times: the latest is taken as now");
  }
  return latest;
}
