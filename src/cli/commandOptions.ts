import { type Command, Option } from "commander";
import { logLevels } from "../log/log.ts";
import type { CommonOptions } from "./commandContext.ts";
import type { ExitCode } from "./exitCode.ts";

/** Every option of a command's own is optional, so that commander's untyped options fit where the common ones do. */
export type Action = (
  run: (options: CommonOptions, ...args: string[]) => Promise<ExitCode> | ExitCode,
) => (...given: readonly unknown[]) => Promise<void>;

/** Options that every command takes. */
export function common(command: Command): Command {
  return command
    .option("-c, --config <file>", "configuration file (default: korvus.yaml here or in a directory above)")
    .addOption(
      new Option("--log-level <level>", "least important log lines to show").choices([...logLevels]).default("warn"),
    )
    .option("--json", "print JSON, complete and stable");
}

/** Options of commands whose sessions may be a server's. */
export function remote(command: Command): Command {
  return common(command)
    .option("--server <url>", "a Korvus server that has the sessions, as http://127.0.0.1:7700")
    .option("--token-env <name>", "environment variable that holds its token (default: KORVUS_TOKEN)");
}
