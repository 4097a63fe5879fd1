import { isJsonObject, isTooDeep, type Json } from "../json/json.ts";
import { resultText, type ToolResult } from "./toolResult.ts";

/** Containers that describe the question or the work, not the answer. Names as the common servers give them. */
const aboutTheQuery: ReadonlySet<string> = new Set([
  "annotations",
  "filters",
  "infos",
  "meta",
  "metadata",
  "metrics",
  "pagination",
  "params",
  "query",
  "request",
  "stats",
  "timeRange",
  "warnings",
  "window",
]);

/** One short line of prose that says there is nothing: "No alerts found", "0 matching series". */
const nothingFound =
  /^\W*(?:(?:no|zero|0)\s+(?:[\w-]+\s+){0,2}(?:data|results?|matches|series|streams?|logs?|entries|traces?|spans?|alerts?|silences?|rows?|items?|resources?|events?)\b|(?:nothing|none)\b)[^\n]{0,100}$/i;

/**
 * True when a successful result holds no data: no content, blank text, JSON whose containers of data are all empty, or
 * one line such as "No alerts found". A count of zero is data.
 */
export function isEmpty(result: ToolResult): boolean {
  const text = resultText(result).trim();
  if (text === "") return true;
  if (/^[[{]|^null$/.test(text)) {
    const value = parse(text);
    if (value !== undefined) return holdsNothing(value);
  }
  return nothingFound.test(text);
}

function parse(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isTooDeep(value) ? undefined : value;
  } catch {
    // Prose or logs that begin with a bracket: text like any other.
    return undefined;
  }
}

function holdsNothing(value: Json): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.every(holdsNothing);
  if (!isJsonObject(value)) return false;
  const entries = Object.entries(value);
  if (entries.length === 0) return true;
  const containers = entries.filter(([, item]) => typeof item === "object" && item !== null);
  const ofData = containers.filter(([key]) => !aboutTheQuery.has(key));
  return ofData.length > 0 && ofData.every(([, item]) => holdsNothing(item));
}
