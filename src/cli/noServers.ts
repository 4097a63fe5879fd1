import type { Config } from "../config/config.ts";

/** What is wrong and what to do where no server is configured. */
export function noServers({ file, directory }: Config): string {
  const looked =
    file === undefined ? `There is no korvus.yaml in ${directory} or above it.` : `${file} has no mcp.servers.`;
  return `no MCP server is configured, so there is nothing to ask\n${looked}\n"Connect your backends" in the README shows how to write one; korvus config schema gives its JSON Schema.`;
}
