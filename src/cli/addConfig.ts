import type { Command } from "commander";
import type { CommandContext } from "./commandContext.ts";
import { type Action, common } from "./commandOptions.ts";

/** `korvus config ...` */
export function addConfig(program: Command, context: CommandContext, action: Action): void {
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
