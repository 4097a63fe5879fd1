import type { z } from "zod";
import { type ConfigInput, schema } from "./schema.ts";

export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Set where the schema wanted one of these and got a text. */
  readonly wanted?: "number" | "boolean";
}

/** The checked input, or everything that is wrong with it, at once. */
export function findIssues(raw: unknown): {
  readonly input: ConfigInput | undefined;
  readonly issues: readonly Issue[];
} {
  const result = schema.safeParse(raw, { error: describe });
  const issues = [
    ...(result.success ? [] : result.error.issues.flatMap((issue) => flatten(issue, []))),
    ...crossChecks(raw),
  ];
  return { input: result.data, issues };
}

/** In our words; what came is told by its kind only, since a value may be a secret. */
function describe({ code, expected, input }: z.core.$ZodRawIssue): string | undefined {
  if (code === "invalid_type") {
    const hint =
      expected === "string" && (typeof input === "number" || typeof input === "boolean") ? ": put it in quotes" : "";
    return `expected ${kindNames[String(expected)] ?? String(expected)}, got ${kindOf(input)}${hint}`;
  }
  return undefined;
}

const kindNames: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
  undefined: "nothing",
};

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  return kindNames[Array.isArray(value) ? "array" : typeof value] ?? typeof value;
}

function flatten(issue: z.core.$ZodIssue, parent: readonly PropertyKey[]): Issue[] {
  const path = [...parent, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    const messages = issue.message.split("\n");
    return issue.keys.map((key, index) => ({ path: [...path, key], message: messages[index] ?? issue.message }));
  }
  if (issue.code === "invalid_key") return issue.issues.flatMap((inner) => flatten(inner, path));
  if (issue.code === "invalid_union") {
    const fitting = issue.errors.filter(([first]) => first?.code !== "invalid_type" || first.path.length > 0);
    return fitting[0]?.flatMap((inner) => flatten(inner, path)) ?? [{ path, message: "expected a text or a map" }];
  }
  const wanted = issue.code === "invalid_type" ? wants[issue.expected] : undefined;
  return [{ path, message: issue.message, ...(wanted && { wanted }) }];
}

const wants: Readonly<Record<string, "number" | "boolean">> = { number: "number", int: "number", boolean: "boolean" };

const kindOfKey: Readonly<Record<string, string>> = {
  args: "command",
  env: "command",
  headers: "url",
  from: "recording",
};

/** Rules between keys, on input that may be wrong in any other way too. */
function crossChecks(raw: unknown): Issue[] {
  const issues: Issue[] = [];
  const { mcp, model, budget, workspaces } = mapOf(raw);
  if (Object.keys(mapOf(workspaces)).length > 0 && "workspace" in mapOf(mapOf(mcp)["servers"])) {
    const message = "workspace is the name of the files of a pinned session: call this server something else";
    issues.push({ path: ["mcp", "servers", "workspace"], message });
  }
  for (const [name, server] of Object.entries(mapOf(mapOf(mcp)["servers"]))) {
    if (server !== mapOf(server)) continue;
    const path = ["mcp", "servers", name];
    const kinds = ["command", "url", "recording"].filter((kind) => kind in server);
    if (kinds.length !== 1) {
      const came = kinds.length === 0 ? "" : `, got ${kinds.join(" and ")}`;
      issues.push({ path, message: `expected one of command, url, recording${came}` });
      continue;
    }
    for (const key of Object.keys(server)) {
      const kind = kindOfKey[key];
      if (kind !== undefined && kind !== kinds[0]) {
        issues.push({ path: [...path, key], message: `only a server with a ${kind} has ${key}` });
      }
    }
  }
  if ("cost" in mapOf(budget) && !("price" in mapOf(model))) {
    issues.push({
      path: ["budget", "cost"],
      message: "needs model.price, USD per million tokens: model: { ..., price: { input, output } }",
    });
  }
  if (mapOf(model)["provider"] === "openai-compatible" && !("base_url" in mapOf(model))) {
    issues.push({ path: ["model"], message: "openai-compatible needs a base_url" });
  }
  return issues;
}

function mapOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
