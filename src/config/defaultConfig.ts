import { resolve } from "node:path";
import type { Config } from "./config.ts";

/**
 * What counts where there is no `korvus.yaml`: what an empty one means, which a test holds it to. Written out, because
 * the parser and its schema take longer to load than the commands that need neither.
 */
export function defaultConfig(directory: string): Config {
  return {
    directory,
    skills: { path: resolve(directory, "skills"), warnShare: 0.25 },
    mcp: { connectTimeout: 10_000, callTimeout: 60_000, servers: [] },
    runbook: { arguments: {} },
    budget: { steps: 40, tokens: 500_000, time: 600_000, resultTokens: 25_000 },
    policy: { allow: [], ask: [], deny: [] },
    workspaces: [],
    store: {
      database: { kind: "sqlite", path: resolve(directory, ".korvus/korvus.db") },
      directory: resolve(directory, ".korvus"),
    },
    server: { host: "127.0.0.1", port: 7700, tokens: [], origins: [] },
    limits: { sessions: 50, models: {}, servers: {} },
    secrets: [],
    warnings: [],
  };
}
