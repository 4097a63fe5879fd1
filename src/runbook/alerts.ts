import { isJsonObject } from "../json/json.ts";
import { parseJson } from "./series.ts";

export interface Alert {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** ms since the Unix epoch; undefined where the server does not say. */
  readonly since?: number;
  readonly summary: string;
  /** It fires, but nobody is told: a silence or another alert holds it back. */
  readonly suppressed: boolean;
}

/** Firing alerts in an answer of Alertmanager or an MCP server over it; undefined where the text holds no list of them. */
export function readAlerts(text: string): readonly Alert[] | undefined {
  const value = parseJson(text);
  const list = Array.isArray(value) ? value : isJsonObject(value) ? (value["alerts"] ?? value["data"]) : undefined;
  if (!Array.isArray(list)) return undefined;
  const flat = list.flatMap((item) => (isJsonObject(item) && Array.isArray(item["alerts"]) ? item["alerts"] : [item]));
  return flat.flatMap((item) => {
    if (!isJsonObject(item) || !isJsonObject(item["labels"])) return [];
    const labels = texts(item["labels"]);
    const status = isJsonObject(item["status"]) ? item["status"]["state"] : item["state"];
    if (labels["alertname"] === undefined || status === "inactive" || status === "unprocessed") return [];
    const began = item["startsAt"] ?? item["activeAt"];
    const since = typeof began === "string" ? Date.parse(began) : Number.NaN;
    const words = isJsonObject(item["annotations"]) ? texts(item["annotations"]) : {};
    return [
      {
        name: labels["alertname"],
        labels,
        ...(Number.isNaN(since) ? {} : { since }),
        summary: words["summary"] ?? words["description"] ?? "",
        suppressed: status === "suppressed",
      },
    ];
  });
}

function texts(object: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(object).flatMap(([key, v]) => (typeof v === "string" ? [[key, v]] : [])));
}
