import type { Command } from "commander";
import type { CommandContext } from "./commandContext.ts";
import { type Action, remote } from "./commandOptions.ts";
import { UsageError } from "./exitCode.ts";

/** `korvus investigate` */
export function addInvestigate(program: Command, context: CommandContext, action: Action): void {
  remote(
    program
      .command("investigate")
      .description("Investigates a question and prints a report; progress goes to stderr")
      .argument("[question]", "what to find out; - reads it from stdin"),
  )
    .option("--since <duration>", "window: the time up to now, as 45m or 2h (default: 30m)")
    .option("--from <time>", "window: its start, as 14:00, 2026-11-30T14:00:00Z or Unix seconds")
    .option("--to <time>", "window: its end (default: now)")
    .option(
      "--model <provider/name>",
      "anthropic/..., openai/..., google/..., ollama/... or runbook, which needs no model",
    )
    .option("--set <name=value...>", "value for a hole in the skills' queries, as service=checkout")
    .option("--skills <directory>", "skills to use instead of the configured ones")
    .option("--workspace <name[@ref]>", "pin to a commit of a configured workspace: its skills, its files")
    .option("--detach", "with --server: print the session's id and end")
    .option("--record <file>", "write every tool listing, call and result to a new file, for replay")
    .addHelpText(
      "after",
      `
Examples:
  korvus investigate "why is checkout slow since 14:00?" --from 13:45
  korvus investigate "error rate of payments" --since 2h --model openai/gpt-x
  korvus investigate "why is checkout slow?" --workspace payments@v42
  korvus investigate "why did the deploy fail?" --json > report.json
  korvus investigate "why is checkout slow?" --record incident.jsonl`,
    )
    .action(
      action(async (options, question) => {
        if (question === undefined)
          throw new UsageError('what shall be investigated?\nkorvus investigate "why is checkout slow since 14:00?"');
        return (await import("./investigateCommand.ts")).investigateCommand(context, question, options);
      }),
    );
}
