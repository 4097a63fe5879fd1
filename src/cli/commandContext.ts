import type { Clock } from "../clock/clock.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/loadConfig.ts";
import { type Log, type LogLevel, lineLog } from "../log/log.ts";
import type { ProcessGroups } from "../mcp/processGroups.ts";
import { renderLogLine } from "./renderLogLine.ts";
import type { Terminal } from "./terminal.ts";

/** What every command gets from the process that it runs in. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts with the first Ctrl-C, SIGTERM or closed pipe. */
  readonly signal: AbortSignal;
  readonly groups: ProcessGroups;
  readonly clock: Clock;
  readonly readInput: () => Promise<string>;
}

/** Options that every command takes. */
export interface CommonOptions {
  readonly config?: string;
  readonly logLevel: LogLevel;
  readonly json?: boolean;
}

/** A log that people read beside the answer. */
export function commandLog({ terminal }: Pick<CommandContext, "terminal">, { logLevel }: CommonOptions): Log {
  return lineLog(logLevel, (line) => terminal.err(renderLogLine(line, terminal.errColors)));
}

/** The configuration that counts here; what an operator should know of it is logged. Throws `ConfigError`. */
export async function commandConfig(context: CommandContext, options: CommonOptions, log: Log): Promise<Config> {
  const { cwd, env } = context;
  const config = await loadConfig({ cwd, env, ...(options.config === undefined ? {} : { file: options.config }) });
  for (const warning of config.warnings) log.warn({}, warning);
  return config;
}

export function printJson({ terminal }: Pick<CommandContext, "terminal">, value: unknown): void {
  terminal.out(`${JSON.stringify(value, undefined, 2)}\n`);
}
