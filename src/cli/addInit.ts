import type { Command } from "commander";
import type { CommandContext } from "./commandContext.ts";
import { type Action, common } from "./commandOptions.ts";

/** `korvus init` */
export function addInit(program: Command, context: CommandContext, action: Action): void {
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
