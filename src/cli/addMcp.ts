import type { Command } from "commander";
import type { CommandContext } from "./commandContext.ts";
import { type Action, common } from "./commandOptions.ts";

/** `korvus mcp ...` */
export function addMcp(program: Command, context: CommandContext, action: Action): void {
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
