import type { Command } from "commander";
import type { CommandContext } from "./commandContext.ts";
import { type Action, remote } from "./commandOptions.ts";

/** `korvus sessions ...` */
export function addSessions(program: Command, context: CommandContext, action: Action): void {
  const sessions = program.command("sessions").description("Investigations that are kept in the store");
  const load = () => import("./sessionsCommands.ts");
  remote(sessions.command("list").description("Lists sessions, newest first"))
    .option("--status <status>", "only those that are waiting, running or ended")
    .option("--workspace <name>", "only those pinned to this workspace")
    .option("--text <text>", "only those whose question holds the text")
    .option("--limit <count>", "how many (default: 20)")
    .addHelpText("after", "\nExamples:\n  korvus sessions list\n  korvus sessions list --status running --json")
    .action(action(async (options) => (await load()).sessionsList(context, options)));
  remote(sessions.command("show").description("Shows a session with its report").argument("<id>", "or its beginning"))
    .option("--call <number>", "a tool call with its arguments and result")
    .option("--prompt", "the system prompt that the model got, byte for byte")
    .addHelpText(
      "after",
      "\nExamples:\n  korvus sessions show 7f3a --call 3\n  korvus sessions show 7f3a --prompt | sha256sum",
    )
    .action(action(async (options, id) => (await load()).sessionsShow(context, id, options)));
  remote(
    sessions
      .command("watch")
      .description("Shows what a session does, until its report")
      .argument("<id>", "or its beginning"),
  )
    .addHelpText("after", "\nCtrl-C ends the watching, not the session.\n\nExample:\n  korvus sessions watch 7f3a")
    .action(action(async (options, id) => (await load()).sessionsWatch(context, id, options)));
  remote(
    sessions
      .command("resume")
      .description("Goes on with a session that was cut off, or asks it a further question")
      .argument("<id>", "or its beginning")
      .argument("[question]", "a further question, answered with the same skills and conversation"),
  )
    .addHelpText(
      "after",
      '\nExamples:\n  korvus sessions resume 7f3a\n  korvus sessions resume 7f3a "and why did it recover?"',
    )
    .action(action(async (options, id, question) => (await load()).sessionsResume(context, { id, question }, options)));
  remote(
    sessions
      .command("cancel")
      .description("Ends a session's run with the report so far")
      .argument("<id>", "or its beginning"),
  )
    .addHelpText("after", "\nExample:\n  korvus sessions cancel 7f3a")
    .action(action(async (options, id) => (await load()).sessionsCancel(context, id, options)));
  remote(
    sessions
      .command("verify")
      .description("Rebuilds a session's prompt from its commit and compares")
      .argument("[id]", "or its beginning; or --file"),
  )
    .option("--file <export>", "a file that sessions export wrote, instead of the store")
    .option("--repository <path or url>", "the workspace's repository, where none is configured")
    .addHelpText(
      "after",
      "\nExit codes: 0 identical, 3 it differs, 1 it cannot be verified.\n\nExamples:\n  korvus sessions verify 7f3a\n  korvus sessions verify --file session.jsonl --repository ../ops",
    )
    .action(
      action(async (options, id) => (await import("./sessionsEvidence.ts")).sessionsVerify(context, id, options)),
    );
  remote(
    sessions
      .command("export")
      .description("Writes all that is kept of a session as JSONL")
      .argument("<id>", "or its beginning"),
  )
    .option("--output <file>", "a new file (default: stdout)")
    .addHelpText("after", "\nExample:\n  korvus sessions export 7f3a --output session.jsonl")
    .action(
      action(async (options, id) => (await import("./sessionsEvidence.ts")).sessionsExport(context, id, options)),
    );
}
