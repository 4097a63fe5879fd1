import * as z from "zod";
import type { JsonObject } from "../json/json.ts";
import { durationPattern, longestDuration, parseDuration } from "./duration.ts";
import { providers, readModelName } from "./model.ts";
import { suggest } from "./suggest.ts";

/** Keys that a later version reads: said so, rather than ignored. */
const later = ["workspaces", "store", "server"];

/** A map with exactly these keys. Its message for unknown ones has a line for each. */
function map<Shape extends z.core.$ZodShape>(shape: Shape, laterKeys: readonly string[] = []) {
  const message = (key: string) => {
    if (laterKeys.includes(key)) return "not supported by this version";
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

const modelName = z.string().check((context) => {
  const read = readModelName(context.value);
  if (read.kind === "wrong") context.issues.push({ code: "custom", message: read.message, input: context.value });
});

export const schema = map(
  {
    skills: map({
      path: text
        .default("./skills")
        .describe("Dev-only override: the catalog of sessions pinned to no workspace commit"),
      disclosure: z
        .literal("full", {
          error: ({ input }) =>
            input === "on-demand" ? "on-demand is not supported yet, expected full" : "expected full",
        })
        .default("full"),
      warn_share: z
        .number()
        .gt(0, { error: "must be more than 0" })
        .max(1, { error: "must be at most 1" })
        .default(0.25),
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
  },
  later,
);

/** The configuration as it was written, checked, with defaults, durations in ms. */
export type ConfigInput = z.output<typeof schema>;

/** JSON Schema of `korvus.yaml`, for editors. */
export function configSchema(): JsonObject {
  return z.toJSONSchema(schema, { io: "input" }) as unknown as JsonObject;
}
