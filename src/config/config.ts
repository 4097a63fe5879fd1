import type { JsonObject } from "../json/json.ts";
import type { Secret } from "../redact/redact.ts";

/** What the rest of Korvus receives: every default filled in, paths absolute, durations in ms, sizes in bytes. */
export interface Config {
  /** The file that was read, absolute; absent when there is none, which is valid. */
  readonly file?: string;
  /** Directory that relative paths start from: the file's own, else the working directory. */
  readonly directory: string;
  readonly skills: {
    /** Dev-only override: the catalog of sessions pinned to no workspace commit. Default `./skills`. */
    readonly path: string;
    /** Share of the model's window (0 to 1) above which the size of the prompt is warned about. */
    readonly warnShare: number;
  };
  readonly mcp: {
    /** Bound on start, initialisation and tool listing of one server, ms. */
    readonly connectTimeout: number;
    /** Bound on one tool call, ms; progress notifications extend it. */
    readonly callTimeout: number;
    /** By name, ascending. */
    readonly servers: readonly ServerConfig[];
  };
  /** Absent for runbook, the default, which needs none. */
  readonly model?: ModelConfig;
  readonly runbook: {
    /** Labels that name a service, the most trusted first; absent: the usual ones. */
    readonly serviceLabels?: readonly string[];
    /** By server: arguments that its query tools need and only the operator knows. */
    readonly arguments: Readonly<Record<string, JsonObject>>;
  };
  readonly budget: Budget;
  readonly policy: PolicyRules;
  /** By name, ascending. */
  readonly workspaces: readonly WorkspaceConfig[];
  readonly store: StoreConfig;
  readonly server: ServerOptions;
  readonly limits: LimitsConfig;
  /** Every value that came from an environment variable, and a literal API key, for the redactor. */
  readonly secrets: readonly Secret[];
  /** What is valid and an operator should know, one sentence each: to be logged at start-up. */
  readonly warnings: readonly string[];
}

export type ServerConfig = StdioServer | HttpServer | RecordedServer;

interface ServerBase {
  readonly name: string;
  /** `tools.deny`: tool names, `*` as a wildcard, that are not offered to the model. */
  readonly denyTools: readonly string[];
}
export interface StdioServer extends ServerBase {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to PATH, HOME, locale and TMPDIR; nothing else of our environment reaches the child. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory of the child: the configuration's. */
  readonly cwd: string;
}
export interface HttpServer extends ServerBase {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
export interface RecordedServer extends ServerBase {
  readonly kind: "recording";
  /** Absolute path of the JSONL file. */
  readonly file: string;
  /** Name that the server has in the recording. */
  readonly from: string;
}

/** A git repository whose `skills/` a session can be pinned to. */
export interface WorkspaceConfig {
  readonly name: string;
  /** URL, or absolute path of a repository on this machine. */
  readonly repository: string;
  /** What `--workspace NAME` means without a ref; absent: the repository's own HEAD. */
  readonly ref?: string;
  /** Caps on what a session is seeded with. Default 20,000 files, 256 MiB in all, 8 MiB a file. */
  readonly maxFiles: number;
  readonly maxBytes: number;
  readonly maxFileBytes: number;
}

export interface StoreConfig {
  readonly database:
    | { readonly kind: "sqlite" /** Absolute, or `:memory:`. */; readonly path: string }
    | { readonly kind: "postgres"; readonly url: string };
  /** Absolute path of the directory for mirrors of workspaces and scratch trees. Default `.korvus`. */
  readonly directory: string;
  /** Ended sessions older than this are removed by `serve` and `worker`; absent: never. */
  readonly retentionDays?: number;
}

/** How `korvus serve` listens. */
interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Bearer tokens, or `sha256:` and the hex digest of one. Without any, only loopback is listened on. */
  readonly tokens: readonly string[];
  /** Origins of pages, beside its own, that may use the API. */
  readonly origins: readonly string[];
}

interface LimitsConfig {
  /** Sessions that one process runs at once. */
  readonly sessions: number;
  /** By provider, as `anthropic`, and by server name; over the whole fleet where the store is PostgreSQL. */
  readonly models: Readonly<Record<string, Limit>>;
  readonly servers: Readonly<Record<string, Limit>>;
}

export interface Limit {
  readonly concurrent?: number;
  readonly perMinute?: number;
}

export interface ModelConfig {
  readonly provider: "anthropic" | "openai" | "openai-compatible" | "google";
  readonly name: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Context window, tokens. Default 200,000 for Anthropic, 128,000 for all others: the smallest of their present models. */
  readonly window: number;
  /** Bound on the tokens of one answer. Default 8,192, which every present model allows. */
  readonly maxOutput: number;
  /** USD per million tokens; needed for a cost budget. */
  readonly price?: { readonly input: number; readonly output: number };
  /** Passed to the provider as they are, for reasoning effort and the like. */
  readonly options: JsonObject;
}

/** Every run ends in a report when one of these is used up. */
export interface Budget {
  /** Model calls. */
  readonly steps: number;
  /** Input and output tokens of all steps together. */
  readonly tokens: number;
  /** Wall time, ms. */
  readonly time: number;
  /** USD; only with a model price. */
  readonly cost?: number;
  /** Characters of one tool result that the model sees at once are derived from these tokens. */
  readonly resultTokens: number;
}

/** Patterns `server.tool`, `*` as a wildcard. Deny wins over ask, ask over allow. */
export interface PolicyRules {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}
