import { isScalar } from "yaml";
import type { Secret } from "../redact/redact.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./configError.ts";
import { type Environment, expandVariables } from "./expandVariables.ts";
import { findIssues } from "./findIssues.ts";
import { readDocument, type SourceDocument } from "./readDocument.ts";
import { resolveConfig } from "./resolveConfig.ts";

export interface ParseOptions {
  /** What messages call it; absent: there is no file. */
  readonly file?: string;
  /** Absolute; relative paths start here. */
  readonly directory: string;
  readonly env: Environment;
}

/** The configuration in `text`, where "" is the default one. Pure. Throws `ConfigError` with all issues at once. */
export function parseConfig(text: string, { file, directory, env }: ParseOptions): Config {
  const fail = (issues: ConfigError["issues"]) => new ConfigError(file ?? "configuration", issues);
  const source = readDocument(text);
  if (source.issues.length > 0) throw fail(source.issues);

  const { used, whole, problems } = expandVariables(source.document, env);
  const { input, issues } = check(source, whole);
  const unexpanded = new Set<unknown>(problems.map(({ node }) => node));
  const all = [
    ...problems.map(({ node, path, message }) => source.issueAt(node, path, message)),
    ...issues
      .filter(({ path }) => !unexpanded.has(source.find(path)))
      .map(({ path, message }) => source.issueAt(source.find(path), path, message)),
  ];
  if (input === undefined || all.length > 0) throw fail(all);

  const variables = [...used].map(([name, value]): Secret => ({ name, value }));
  return resolveConfig(input, { ...(file !== undefined && { file }), directory, env, variables });
}

/** Where a number or a boolean is wanted and a whole plain scalar came from a variable, the variable may spell it. */
function check(source: SourceDocument, whole: ReadonlySet<unknown>): ReturnType<typeof findIssues> {
  const first = findIssues(plain(source));
  let changed = false;
  for (const { path, wanted } of first.issues) {
    const node = source.find(path);
    if (wanted === undefined || !isScalar(node) || typeof node.value !== "string" || !whole.has(node)) continue;
    const isNumber = wanted === "number" && /^-?\d+(\.\d+)?$/.test(node.value);
    const isBoolean = wanted === "boolean" && /^(true|false)$/.test(node.value);
    if (!isNumber && !isBoolean) continue;
    node.value = isNumber ? Number(node.value) : node.value === "true";
    changed = true;
  }
  return changed ? findIssues(plain(source)) : first;
}

/** As JavaScript. A section of which everything is commented out is YAML's null, and as good as absent. */
function plain({ document }: SourceDocument): unknown {
  const root: unknown = document.toJS() ?? {};
  if (typeof root !== "object" || root === null) return root;
  const { mcp } = root as { mcp?: unknown };
  for (const section of [root, mcp]) {
    if (typeof section !== "object" || section === null) continue;
    for (const [key, value] of Object.entries(section)) if (value === null) Reflect.deleteProperty(section, key);
  }
  return root;
}
