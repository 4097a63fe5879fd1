import { FAILSAFE_SCHEMA, load, types, YAMLException } from "js-yaml";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";

/** YAML that can only mean JSON: no dates, no binary, no types of anybody's own. */
const schema = FAILSAFE_SCHEMA.extend({ implicit: [types.null, types.bool, types.int, types.float], explicit: [] });

/** Aliases can make a small block mean gigabytes. */
const mostValues = 10_000;

/** A tool call as an `mcp` block writes it. */
export type McpCall =
  | { readonly kind: "call"; readonly tool: string; readonly arguments: JsonObject }
  /** `line` and `column` count from 1, in the block. */
  | { readonly kind: "problem"; readonly line: number; readonly column: number; readonly message: string };

/** Reads the two keys of an `mcp` block, `tool` and `arguments`; anything else is a problem. Throws nothing. */
export function readMcpCall(text: string): McpCall {
  const at = (line: number, column: number, message: string): McpCall => ({ kind: "problem", line, column, message });
  const atKey = (key: string, message: string) => {
    const lines = text.split("\n");
    const line = Math.max(
      0,
      lines.findIndex((candidate) => candidate.replace(/^\s*["']?/, "").startsWith(key)),
    );
    return at(line + 1, (lines[line] as string).search(/\S|$/) + 1, message);
  };
  try {
    const root = load(text, { schema, maxDepth: 100 });
    if (!isJsonObject(root)) return at(1, 1, "expected the keys tool and arguments");
    const unknown = Object.keys(root).find((key) => key !== "tool" && key !== "arguments");
    if (unknown !== undefined)
      return atKey(unknown, `unknown key ${JSON.stringify(unknown)}: only tool and arguments are known`);
    const { tool, arguments: args } = root as { readonly [key: string]: unknown };
    if (tool === undefined) return at(1, 1, "the key tool is missing");
    if (typeof tool !== "string" || tool.trim() === "") return atKey("tool", "tool must be the name of a tool, a text");
    if (args === undefined || args === null) return { kind: "call", tool, arguments: {} };
    if (!isJsonObject(args)) return atKey("arguments", "arguments must be a map");
    let left = mostValues;
    const spend = () => {
      left -= 1;
      return left >= 0;
    };
    const plain = toJson(args, spend);
    if (plain === undefined)
      return atKey("arguments", `arguments hold a value that JSON has not, or more than ${mostValues}`);
    return { kind: "call", tool, arguments: plain as JsonObject };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { line = 0, column = 0 } = error.mark ?? {};
    return at(line + 1, column + 1, `not valid YAML: ${error.reason}`);
  }
}

/** A copy that shares nothing; undefined for what JSON cannot say, and once `spend` refuses. */
function toJson(value: unknown, spend: () => boolean): Json | undefined {
  if (!spend()) return undefined;
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const copy = toJson(item, spend);
      if (copy === undefined) return undefined;
      items.push(copy);
    }
    return items;
  }
  if (!isJsonObject(value)) return undefined;
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    const copy = toJson(item, spend);
    if (copy === undefined) return undefined;
    entries.push([key, copy]);
  }
  return Object.fromEntries(entries);
}
