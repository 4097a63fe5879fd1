import { resolve } from "node:path";
import { notRedacted, type Secret } from "../redact/redact.ts";
import type { Config, ServerConfig } from "./config.ts";
import type { Environment } from "./expandVariables.ts";
import { type ModelInput, readModelName, resolveModel } from "./model.ts";
import type { ConfigInput } from "./schema.ts";

interface Circumstances {
  readonly file?: string;
  readonly directory: string;
  readonly env: Environment;
  /** Values of variables that stand in the input now. */
  readonly variables: readonly Secret[];
}

/** What the rest of Korvus receives, of an input in which nothing is wrong. */
export function resolveConfig(input: ConfigInput, { file, directory, env, variables }: Circumstances): Config {
  const { skills, mcp, budget, policy } = input;
  const written = modelInput(input.model);
  const resolved = written && resolveModel(written, env);
  const isNew = ({ value }: Secret) => !variables.some((known) => known.value === value);
  const secrets = [...variables, ...(resolved?.secrets ?? []).filter(isNew)].filter(({ value }) => value !== "");

  return {
    ...(file !== undefined && { file }),
    directory,
    skills: { path: resolve(directory, skills.path), warnShare: skills.warn_share },
    mcp: {
      connectTimeout: mcp.connect_timeout,
      callTimeout: mcp.call_timeout,
      servers: Object.entries(mcp.servers)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, server]) => serverConfig(name, server, directory)),
    },
    ...(resolved && { model: resolved.model }),
    runbook: {
      ...(input.runbook.service_labels && { serviceLabels: input.runbook.service_labels }),
      arguments: input.runbook.arguments,
    },
    budget: {
      steps: budget.steps,
      tokens: budget.tokens,
      time: budget.time,
      ...(budget.cost !== undefined && { cost: budget.cost }),
      resultTokens: budget.result_tokens,
    },
    policy,
    secrets,
    warnings: secrets.flatMap(({ name, value }) => {
      const why = notRedacted(value);
      return why === undefined ? [] : [`the value of ${name} ${why}: it cannot be redacted safely`];
    }),
  };
}

/** Undefined for runbook, which is no model. */
function modelInput(model: ConfigInput["model"]): ModelInput | undefined {
  if (typeof model !== "string") return model;
  const read = readModelName(model);
  if (read.kind === "wrong") throw new TypeError(`an unchecked model name: ${read.message}`);
  return read.kind === "provider" ? read : undefined;
}

function serverConfig(name: string, server: ConfigInput["mcp"]["servers"][string], directory: string): ServerConfig {
  const base = { name, denyTools: server.tools?.deny ?? [] };
  if (server.command !== undefined) {
    const { command, args = [], env = {} } = server;
    return { ...base, kind: "stdio", command, args, env, cwd: directory };
  }
  if (server.url !== undefined) return { ...base, kind: "http", url: server.url, headers: server.headers ?? {} };
  const { recording = "", from = name } = server;
  return { ...base, kind: "recording", file: resolve(directory, recording), from };
}
