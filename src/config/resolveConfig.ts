import { resolve } from "node:path";
import { notRedacted, type Secret } from "../redact/redact.ts";
import type { Config, Limit, ServerConfig, StoreConfig, WorkspaceConfig } from "./config.ts";
import type { Environment } from "./expandVariables.ts";
import { type ModelInput, readModelName, resolveModel } from "./model.ts";
import type { ConfigInput } from "./schema.ts";
import { isRemoteRepository, parseListenAddress } from "./serverAddress.ts";

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
  const literal = [...(resolved?.secrets ?? []), ...writtenSecrets(input)].filter(isNew);
  const secrets = [...variables, ...literal].filter(({ value }) => value !== "");

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
    workspaces: Object.entries(input.workspaces)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, workspace]) => workspaceConfig(name, workspace, directory)),
    store: storeConfig(input.store, directory),
    server: {
      ...(parseListenAddress(input.server.listen) ?? { host: "127.0.0.1", port: 7700 }),
      tokens: input.server.tokens,
      origins: input.server.origins,
    },
    limits: {
      sessions: input.limits.sessions,
      models: mapValues(input.limits.models, limitOf),
      servers: mapValues(input.limits.servers, limitOf),
    },
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

function workspaceConfig(
  name: string,
  { repository, ref, max_files, max_size, max_file_size }: ConfigInput["workspaces"][string],
  directory: string,
): WorkspaceConfig {
  return {
    name,
    repository: isRemoteRepository(repository) ? repository : resolve(directory, repository),
    ...(ref === undefined ? {} : { ref }),
    maxFiles: max_files,
    maxBytes: max_size,
    maxFileBytes: max_file_size,
  };
}

function storeConfig({ url, directory: written, retention_days }: ConfigInput["store"], base: string): StoreConfig {
  const directory = resolve(base, written);
  const file = url?.startsWith("sqlite:") ? url.slice("sqlite:".length) : undefined;
  const path = file === undefined ? resolve(directory, "korvus.db") : file === ":memory:" ? file : resolve(base, file);
  return {
    database: url === undefined || file !== undefined ? { kind: "sqlite", path } : { kind: "postgres", url },
    directory,
    ...(retention_days === undefined ? {} : { retentionDays: retention_days }),
  };
}

/** Passwords and tokens that stand in the file itself. */
function writtenSecrets({ server, store, workspaces }: ConfigInput): readonly Secret[] {
  const tokens = server.tokens.filter((token) => !token.startsWith("sha256:"));
  const repositories = Object.entries(workspaces).map(([name, { repository }]) => ({ name, repository }));
  return [
    ...tokens.map((value) => ({ name: "server.tokens", value })),
    ...passwordsOf("store.url", store.url),
    ...repositories.flatMap(({ name, repository }) => passwordsOf(`workspaces.${name}.repository`, repository)),
  ];
}

function passwordsOf(name: string, address: string | undefined): readonly Secret[] {
  const url = address === undefined ? null : URL.parse(address);
  if (!url?.password) return [];
  return [...new Set([url.password, decoded(url.password)])].map((value) => ({ name, value }));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that stands for itself.
    return text;
  }
}

function limitOf({ concurrent, per_minute }: ConfigInput["limits"]["models"][string]): Limit {
  return {
    ...(concurrent === undefined ? {} : { concurrent }),
    ...(per_minute === undefined ? {} : { perMinute: per_minute }),
  };
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
