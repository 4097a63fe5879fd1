import { stat } from "node:fs/promises";
import type { StdioServer } from "../config/config.ts";
import { McpError } from "./connection.ts";

/** Why a server could not be started, for the person who wrote its configuration. */
export async function spawnFailure(server: StdioServer, error: NodeJS.ErrnoException): Promise<McpError> {
  // ENOENT is all that a missing working directory gives, too.
  const directory = await stat(server.cwd).catch(() => undefined);
  const message = !directory?.isDirectory()
    ? `working directory not found: ${server.cwd}`
    : error.code === "ENOENT"
      ? `command not found: ${server.command}`
      : error.code === "EACCES"
        ? `command is not executable: ${server.command}`
        : `${server.command} cannot be started: ${error.message}`;
  return new McpError("connect-failed", message, { cause: error });
}
