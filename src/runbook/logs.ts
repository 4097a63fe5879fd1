import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { parseJson, resultArray } from "./series.ts";

export interface LogLine {
  /** ms since the Unix epoch. */
  readonly t: number;
  readonly service?: string;
  readonly failed: boolean;
  readonly text: string;
}

/** Log lines in an answer of Loki (streams) or autotel-mcp, oldest first; undefined where the text holds none of these. */
export function readLogs(
  text: string,
  serviceOf: (labels: Readonly<Record<string, string>>) => string | undefined,
): readonly LogLine[] | undefined {
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

function streamLines(
  item: JsonObject,
  serviceOf: (labels: Readonly<Record<string, string>>) => string | undefined,
): readonly LogLine[] {
  if (!isJsonObject(item["stream"]) || !Array.isArray(item["values"])) return [];
  const labels = item["stream"] as Readonly<Record<string, string>>;
  const service = serviceOf(labels);
  return item["values"].flatMap((pair: Json) => {
    if (!Array.isArray(pair) || typeof pair[1] !== "string") return [];
    const text = messageIn(pair[1]);
    const level = labels["level"] ?? labels["detected_level"] ?? labels["severity"] ?? pair[1];
    return [{ t: Number(pair[0]) / 1e6, ...(service ? { service } : {}), failed: isFailure(level), text }];
  });
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
