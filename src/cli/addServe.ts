import type { Command } from "commander";
import type { CommandContext } from "./commandContext.ts";
import { type Action, common } from "./commandOptions.ts";

/** `korvus serve` and `korvus worker` */
export function addServe(program: Command, context: CommandContext, action: Action): void {
  common(program.command("serve").description("Serves the API, and runs the sessions that come through it"))
    .option("--listen <host:port>", "address (default: the configuration's, else 127.0.0.1:7700)")
    .addHelpText("after", "\nExamples:\n  korvus serve\n  korvus serve --listen 127.0.0.1:0")
    .action(action(async (options) => (await import("./serveCommand.ts")).serve(context, options, { api: true })));
  common(program.command("worker").description("Runs sessions from a shared PostgreSQL, without an API of its own"))
    .addHelpText("after", "\nExample:\n  korvus worker --config /etc/korvus/korvus.yaml")
    .action(action(async (options) => (await import("./serveCommand.ts")).serve(context, options, { api: false })));
}
