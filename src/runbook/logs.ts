import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { parseJson, resultArray } from "./series.ts";
import type { ServiceOf } from "./serviceOf.ts";

export interface LogLine {
  /** ms since the Unix epoch. */
  readonly t: number;
  readonly service?: string;
  readonly failed: boolean;
  readonly text: string;
}

/** Log lines in an answer of Loki (streams) or autotel-mcp, oldest first; undefined where the text holds none of these. */
export function readLogs(text: string, serviceOf: ServiceOf): readonly LogLine[] | undefined {
  const value = parseJson(text);
  const data = isJsonObject(value) && isJsonObject(value["data"]) ? value["data"] : value;
  const items = isJsonObject(data) ? data["items"] : undefined;
  const lines = Array.isArray(items)
    ? items.flatMap((item) => (isJsonObject(item) ? autotelLine(item) : []))
    : resultArray(value)?.flatMap((item) => (isJsonObject(item) ? streamLines(item, serviceOf) : []));
  return lines?.sort((a, b) => a.t - b.t);
}

function autotelLine(item: JsonObject): readonly LogLine[] {
  const { timestampUnixMs, severityText, body, serviceName } = item;
  if (typeof timestampUnixMs !== "number" || typeof body !== "string") return [];
  const service = typeof serviceName === "string" ? { service: serviceName } : {};
  return [
    { t: timestampUnixMs, ...service, failed: typeof severityText === "string" && isFailure(severityText), text: body },
  ];
}

function streamLines(item: JsonObject, serviceOf: ServiceOf): readonly LogLine[] {
  if (!isJsonObject(item["stream"]) || !Array.isArray(item["values"])) return [];
  const labels = item["stream"] as Readonly<Record<string, string>>;
  return item["values"].flatMap((pair: Json) =>
    Array.isArray(pair) && typeof pair[1] === "string"
      ? [logLine({ t: Number(pair[0]) / 1e6, labels, line: pair[1] }, serviceOf)]
      : [],
  );
}

/** A line with the labels of its stream; where no label tells the level, its own words do. */
export function logLine(
  { t, labels, line }: { readonly t: number; readonly labels: Readonly<Record<string, string>>; readonly line: string },
  serviceOf: ServiceOf,
): LogLine {
  const service = serviceOf(labels);
  const level = labels["level"] ?? labels["detected_level"] ?? labels["severity"] ?? line;
  return { t, ...(service === undefined ? {} : { service }), failed: isFailure(level), text: messageIn(line) };
}

/** The message of a structured line; any other line as it is. */
function messageIn(line: string): string {
  const value = line.startsWith("{") ? parseJson(line) : undefined;
  const message = isJsonObject(value) ? (value["msg"] ?? value["message"] ?? value["body"]) : undefined;
  return typeof message === "string" ? message : line;
}

function isFailure(text: string): boolean {
  return /\b(error|fatal|critical|panic|emerg|alert)\b/i.test(text);
}
