import type { Command } from "commander";
import type { CommandContext } from "./commandContext.ts";
import { type Action, common } from "./commandOptions.ts";
// Not lazily: listing skills is to start at once, and needs little that is not loaded anyway.
import { skillsList, skillsPrompt, skillsShow } from "./skillsCommands.ts";

/** `korvus skills ...` */
export function addSkills(program: Command, context: CommandContext, action: Action): void {
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
