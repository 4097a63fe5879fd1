import * as z from "zod";
import type { JsonObject } from "../json/json.ts";
import { durationPattern, longestDuration, parseDuration } from "./duration.ts";
import { providers, readModelName } from "./model.ts";
import { databasePattern, isListenAddress } from "./serverAddress.ts";
import { parseSize, sizePattern } from "./size.ts";
import { suggest } from "./suggest.ts";

/** A map with exactly these keys. Its message for unknown ones has a line for each. */
function map<Shape extends z.core.$ZodShape>(shape: Shape) {
  const message = (key: string) => {
    const meant = suggest(key, Object.keys(shape));
    return meant === undefined ? "unknown key" : `unknown key, did you mean ${meant}?`;
  };
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? issue.keys.map(message).join("\n") : undefined),
  });
}

const text = z.string().min(1, { error: "must not be empty" });
const texts = z.array(text);
const count = z.int().min(1, { error: "must be at least 1" });
const amount = z.number().min(0, { error: "must not be negative" });
const url = z.url({
  protocol: /^https?$/,
  error: (issue) => (issue.code === "invalid_format" ? "expected an http or https URL" : undefined),
});
const durationError = "expected a duration, as 30s, 10m, 1h30m or 250ms";
const duration = z
  .string({ error: durationError })
  .regex(durationPattern, { error: durationError, abort: true })
  .refine((value) => parseDuration(value) > 0, { error: "must be longer than nothing" })
  .refine((value) => parseDuration(value) <= longestDuration, { error: "must be at most 24 days" })
  .transform(parseDuration);
const patterns = z
  .array(z.string().regex(/^[^\s.]+\.\S+$|^\*$/, { error: "expected server.tool, * as a wildcard" }))
  .default([]);
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, { error: "not a name that a header can have" });
const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, { error: "a header's value is one line, without control characters" });
const sizeError = "expected a size, as 64KiB, 256MiB or 1GiB";
const size = z
  .string({ error: sizeError })
  .regex(sizePattern, { error: sizeError, abort: true })
  .transform(parseSize)
  .refine((bytes) => bytes > 0, { error: "must be more than nothing" });
const serverName = z.string().regex(/^[\w.-]{1,64}$/, { error: "a server's name has 1 to 64 of A-Z a-z 0-9 . _ -" });

const server = map({
  command: text.optional().describe("Program of a stdio server, started in the configuration's directory"),
  args: z.array(z.string()).optional(),
  env: z
    .record(text, z.string())
    .optional()
    .describe("Added to PATH, HOME, locale and TMPDIR; nothing else is passed on"),
  url: url.optional().describe("Streamable HTTP endpoint"),
  headers: z.record(headerName, headerValue).optional(),
  recording: text.optional().describe("JSONL file that answers in the server's place"),
  from: text.optional().describe("Name of the server in the recording, where it is another"),
  tools: map({ deny: texts.default([]).describe("Tools not offered to the model, * as a wildcard") }).optional(),
});

const model = map({
  provider: z.enum(providers),
  name: text,
  base_url: url.optional(),
  api_key: text.optional().describe("Default: the provider's usual environment variable"),
  window: count.optional().describe("Context window, tokens"),
  max_output: count.optional().describe("Bound on the tokens of one answer"),
  price: map({ input: amount, output: amount }).optional().describe("USD per million tokens"),
  options: z.record(z.string(), z.json()).optional().describe("Passed to the provider as they are"),
});

const workspaceName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, { error: "a workspace's name has 1 to 64 of A-Z a-z 0-9 . _ -" });
const workspace = map({
  repository: text.describe("URL, or path of a repository on this machine"),
  ref: text.optional().describe("Branch, tag or commit that --workspace NAME means; default: the repository's HEAD"),
  max_files: count.default(20_000).describe("Files that a session is seeded with, at most"),
  max_size: size.prefault("256MiB").describe("All of them together, at most"),
  max_file_size: size.prefault("8MiB").describe("One of them, at most"),
});
const limit = map({
  concurrent: count.optional().describe("At once"),
  per_minute: count.optional(),
});
const token = text
  .refine((value) => !value.startsWith("sha256:") || /^sha256:[0-9a-f]{64}$/.test(value), {
    error: "sha256: is followed by 64 lower-case hex digits",
  })
  .refine((value) => value.length >= 16, { error: "a token has at least 16 characters" });

const modelName = z.string().check((context) => {
  const read = readModelName(context.value);
  if (read.kind === "wrong") context.issues.push({ code: "custom", message: read.message, input: context.value });
});

export const schema = map({
  skills: map({
    path: text.default("./skills").describe("Dev-only override: the catalog of sessions pinned to no workspace commit"),
    disclosure: z
      .literal("full", {
        error: ({ input }) =>
          input === "on-demand" ? "on-demand is not supported yet, expected full" : "expected full",
      })
      .default("full"),
    warn_share: z.number().gt(0, { error: "must be more than 0" }).max(1, { error: "must be at most 1" }).default(0.25),
  }).prefault({}),
  mcp: map({
    connect_timeout: duration.prefault("10s"),
    call_timeout: duration.prefault("60s"),
    servers: z.record(serverName, server).default({}),
  }).prefault({}),
  model: z
    .union([modelName, model])
    .optional()
    .describe("provider/name, a map, or runbook (the default), which needs no model"),
  budget: map({
    steps: count.default(40).describe("Model calls"),
    tokens: count.default(500_000),
    time: duration.prefault("10m"),
    cost: z.number().gt(0, { error: "must be more than 0" }).optional().describe("USD; needs model.price"),
    result_tokens: count.default(25_000).describe("Bound on what the model sees of one tool result at once"),
  }).prefault({}),
  runbook: map({
    service_labels: texts
      .min(1, { error: "needs at least one label" })
      .optional()
      .describe("Labels that name a service, the most trusted first"),
    arguments: z
      .record(serverName, z.record(text, z.json()))
      .default({})
      .describe("By server: arguments that its query tools need, as Grafana's datasourceUid"),
  }).prefault({}),
  policy: map({ allow: patterns, ask: patterns, deny: patterns }).prefault({}),
  workspaces: z
    .record(workspaceName, workspace)
    .default({})
    .describe("Git repositories whose skills/ a session can be pinned to"),
  store: map({
    url: z
      .string()
      .regex(databasePattern, { error: "expected sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE" })
      .optional()
      .describe("Default sqlite:korvus.db in the directory below"),
    directory: text.default(".korvus").describe("Where the SQLite file, mirrors of workspaces and scratch trees go"),
    retention_days: count.optional().describe("serve and worker remove ended sessions after it; default: never"),
  }).prefault({}),
  server: map({
    listen: z
      .string()
      .refine(isListenAddress, { error: "expected HOST:PORT, as 127.0.0.1:7700 or [::1]:7700" })
      .default("127.0.0.1:7700"),
    tokens: z
      .array(token)
      .default([])
      .describe("Bearer tokens, or sha256: and the digest of one; without any, only loopback is listened on"),
    origins: z.array(url).default([]).describe("Origins of pages, beside its own, that may use the API"),
  }).prefault({}),
  limits: map({
    sessions: count.default(50).describe("Sessions that one process runs at once"),
    models: z.record(text, limit).default({}).describe("By provider, as anthropic"),
    servers: z.record(serverName, limit).default({}).describe("By server name"),
  }).prefault({}),
});

/** The configuration as it was written, checked, with defaults, durations in ms. */
export type ConfigInput = z.output<typeof schema>;

/** JSON Schema of `korvus.yaml`, for editors. */
export function configSchema(): JsonObject {
  return z.toJSONSchema(schema, { io: "input" }) as unknown as JsonObject;
}
