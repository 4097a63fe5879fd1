import { Command, CommanderError } from "commander";
import { version } from "../app/version.ts";
import { addConfig } from "./addConfig.ts";
import { addInit } from "./addInit.ts";
import { addInvestigate } from "./addInvestigate.ts";
import { addMcp } from "./addMcp.ts";
import { addServe } from "./addServe.ts";
import { addSessions } from "./addSessions.ts";
import { addSkills } from "./addSkills.ts";
import { addWorkspaces } from "./addWorkspaces.ts";
import type { CommandContext, CommonOptions } from "./commandContext.ts";
import { type Action, common } from "./commandOptions.ts";
import { type ExitCode, exitCode } from "./exitCode.ts";
import { visibleLines } from "./text.ts";

/** Runs what `args` (without node and script) ask for. The code of every larger command is loaded only when it runs. */
export async function runProgram(context: CommandContext, args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const program = createProgram(context, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version end this way too; commander has said everything by then.
    return error.exitCode === 0 ? exitCode.done : exitCode.input;
  }
  return code;
}

/** The command tree; `ended` hears the exit code of the command that ran. */
export function createProgram(context: CommandContext, ended: (code: ExitCode) => void): Command {
  const { terminal } = context;
  const program = new Command("korvus")
    .description(
      "Investigates incidents through MCP servers, guided by your skills, and proves every finding with a tool call.",
    )
    .version(version, "-V, --version")
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHelpWidth: () => Math.min(terminal.width, 110),
      getErrHelpWidth: () => Math.min(terminal.width, 110),
      outputError: (text, write) => {
        const hint = text.startsWith("error: too many arguments for 'investigate'")
          ? '       A question of several words stands in quotes: korvus investigate "why is checkout slow?"\n'
          : "";
        write(`${terminal.errColors.red("error")}  ${visibleLines(text.replace(/^error: /, ""))}${hint}`);
      },
    })
    .addHelpText(
      "after",
      `
Examples:
  korvus doctor                                        what is configured, what answers, what to do
  korvus investigate "why is checkout slow?"           the last 30 minutes, with the configured model
  korvus skills list                                   what the agent is told, and its size

Exit codes: 0 a report came, 1 configuration or input is wrong, 2 no server answered, 130 interrupted.`,
    );
  const action: Action =
    (run) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      ended(await run(command.optsWithGlobals<CommonOptions>(), ...(command.processedArgs as string[])));
    };

  addInit(program, context, action);
  addInvestigate(program, context, action);
  addSessions(program, context, action);
  addWorkspaces(program, context, action);
  addServe(program, context, action);
  addSkills(program, context, action);
  addMcp(program, context, action);
  addConfig(program, context, action);
  common(
    program
      .command("doctor")
      .description("Checks configuration, model, servers and skills, in the order in which they would bite"),
  ).action(action(async (options) => (await import("./doctorCommand.ts")).doctor(context, options)));
  program
    .command("completion")
    .description("Prints a script that completes commands and options")
    .argument("<shell>", "bash, zsh or fish")
    .addHelpText("after", "\nExample:\n  source <(korvus completion bash)")
    .action(
      action(async (_options, shell) => {
        const { completionScript } = await import("./completion.ts");
        terminal.out(completionScript(program, shell));
        return exitCode.done;
      }),
    );
  return program;
}
