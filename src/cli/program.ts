import { Command, CommanderError, Option } from "commander";
import { version } from "../app/version.ts";
import { logLevels } from "../log/log.ts";
import type { CommandContext, CommonOptions } from "./commandContext.ts";
import { type ExitCode, exitCode, UsageError } from "./exitCode.ts";
// Not lazily: listing skills is to start at once, and needs little that is not loaded anyway.
import { skillsList, skillsPrompt, skillsShow } from "./skillsCommands.ts";
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

/** Every option of a command's own is optional, so that commander's untyped options fit where the common ones do. */
type Action = (
  run: (options: CommonOptions, ...args: string[]) => Promise<ExitCode> | ExitCode,
) => (...given: readonly unknown[]) => Promise<void>;

/** Options that every command takes. */
function common(command: Command): Command {
  return command
    .option("-c, --config <file>", "configuration file (default: korvus.yaml here or in a directory above)")
    .addOption(
      new Option("--log-level <level>", "least important log lines to show").choices([...logLevels]).default("warn"),
    )
    .option("--json", "print JSON, complete and stable");
}

/** Options of commands whose sessions may be a server's. */
function remote(command: Command): Command {
  return common(command)
    .option("--server <url>", "a Korvus server that has the sessions, as http://127.0.0.1:7700")
    .option("--token-env <name>", "environment variable that holds its token (default: KORVUS_TOKEN)");
}

function addInit(program: Command, context: CommandContext, action: Action): void {
  common(
    program
      .command("init")
      .description("Writes a korvus.yaml for the backends that answer here, and copies the shipped skills beside it"),
  )
    .option("--dir <directory>", "where to write (default: here)")
    .option("--prometheus <url>", "Prometheus, where it is not at http://127.0.0.1:9090")
    .option("--alertmanager <url>", "Alertmanager, where it is not at http://127.0.0.1:9093")
    .option("--tempo <url>", "Tempo, where it is not at http://127.0.0.1:3200")
    .option("--grafana <url>", "Grafana, where it is not at http://127.0.0.1:3000")
    .option("--otel <url>", "MCP endpoint of autotel-mcp")
    .option("--model <provider/name>", "model to use, as anthropic/claude-x (default: runbook, which needs none)")
    .option("--no-skills", "copy no skills")
    .option("-y, --yes", "ask nothing, take what answers")
    .addHelpText("after", "\nExamples:\n  korvus init\n  korvus init --yes --prometheus http://prometheus.example:9090")
    .action(action(async (options) => (await import("./initCommand.ts")).init(context, options)));
}

function addInvestigate(program: Command, context: CommandContext, action: Action): void {
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

function addSessions(program: Command, context: CommandContext, action: Action): void {
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
  common(
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
  common(
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

  const workspaces = program.command("workspaces").description("Git repositories that sessions can be pinned to");
  common(workspaces.command("list").description("Lists the configured workspaces")).action(
    action(async (options) => (await import("./workspacesCommands.ts")).workspacesList(context, options)),
  );
  common(
    workspaces
      .command("resolve")
      .description("Says which commit a ref stands for, and what a session pinned to it would get")
      .argument("<name[@ref]>", "as payments@v42"),
  )
    .addHelpText("after", "\nExample:\n  korvus workspaces resolve payments@v42")
    .action(
      action(async (options, name) =>
        (await import("./workspacesCommands.ts")).workspacesResolve(context, name, options),
      ),
    );
}

function addServe(program: Command, context: CommandContext, action: Action): void {
  common(program.command("serve").description("Serves the API, and runs the sessions that come through it"))
    .option("--listen <host:port>", "address (default: the configuration's, else 127.0.0.1:7700)")
    .addHelpText("after", "\nExamples:\n  korvus serve\n  korvus serve --listen 127.0.0.1:0")
    .action(action(async (options) => (await import("./serveCommand.ts")).serve(context, options, { api: true })));
  common(program.command("worker").description("Runs sessions from a shared PostgreSQL, without an API of its own"))
    .addHelpText("after", "\nExample:\n  korvus worker --config /etc/korvus/korvus.yaml")
    .action(action(async (options) => (await import("./serveCommand.ts")).serve(context, options, { api: false })));
}

function addSkills(program: Command, context: CommandContext, action: Action): void {
  const skills = program.command("skills").description("The know-how that the agent is given");
  const withSkills = (command: Command) =>
    common(command)
      .option("--skills <directory>", "skills to look at instead of the configured ones")
      .option("--offline", "connect to no server, and count every server that a skill names as connected");
  withSkills(skills.command("list").description("Lists the skills that a run would get, and those dropped, with sizes"))
    .addHelpText("after", "\nExamples:\n  korvus skills list\n  korvus skills list --offline --json")
    .action(action(async (options) => skillsList(context, options)));
  withSkills(skills.command("show").description("Shows a skill with its body").argument("<name>", "the skill's name"))
    .addHelpText("after", "\nExample:\n  korvus skills show prometheus-metrics --offline")
    .action(action(async (options, name) => skillsShow(context, name, options)));
  withSkills(skills.command("prompt").description("Prints the system prompt that a run would get, byte for byte"))
    .addHelpText("after", "\nExample:\n  korvus skills prompt --offline | sha256sum")
    .action(action(async (options) => skillsPrompt(context, options)));
}

function addMcp(program: Command, context: CommandContext, action: Action): void {
  const mcp = program.command("mcp").description("The MCP servers that Korvus asks");
  common(mcp.command("list").description("Connects to every configured server and says how that went")).action(
    action(async (options) => (await import("./mcpCommands.ts")).mcpList(context, options)),
  );
  common(
    mcp
      .command("tools")
      .description("Lists the tools, and whether the policy lets each run")
      .argument("[server]", "only this server's"),
  )
    .addHelpText("after", "\nExamples:\n  korvus mcp tools\n  korvus mcp tools prometheus --json")
    .action(action(async (options, server) => (await import("./mcpCommands.ts")).mcpTools(context, server, options)));
  common(
    mcp
      .command("call")
      .description("Calls one tool and prints its result")
      .argument("<server>", "the server's name in the configuration")
      .argument("<tool>", "the tool's own name")
      .argument("[arguments]", "a JSON object"),
  )
    .option("--yes", "call a tool that is not declared read-only")
    .addHelpText("after", `\nExample:\n  korvus mcp call prometheus prometheus_query '{"query": "up"}'`)
    .action(
      action(async (options, server, tool, args) =>
        (await import("./mcpCommands.ts")).mcpCall(context, { server, tool, args }, options),
      ),
    );
}

function addConfig(program: Command, context: CommandContext, action: Action): void {
  const config = program.command("config").description("The configuration, korvus.yaml");
  common(
    config.command("check").description("Reads the configuration and names everything that is wrong with it"),
  ).action(action(async (options) => (await import("./configCommands.ts")).configCheck(context, options)));
  config
    .command("schema")
    .description("Prints the configuration's JSON Schema, for editors")
    .addHelpText("after", "\nExample:\n  korvus config schema > korvus.schema.json")
    .action(action(async () => (await import("./configCommands.ts")).printConfigSchema(context)));
}
