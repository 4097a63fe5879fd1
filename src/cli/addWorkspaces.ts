import type { Command } from "commander";
import type { CommandContext } from "./commandContext.ts";
import { type Action, remote } from "./commandOptions.ts";

/** `korvus workspaces ...` */
export function addWorkspaces(program: Command, context: CommandContext, action: Action): void {
  const workspaces = program.command("workspaces").description("Git repositories that sessions can be pinned to");
  remote(workspaces.command("list").description("Lists the configured workspaces")).action(
    action(async (options) => (await import("./workspacesCommands.ts")).workspacesList(context, options)),
  );
  remote(
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
