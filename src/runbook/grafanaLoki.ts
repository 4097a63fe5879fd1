import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { parseJson, readSeries, resultArray, type Series } from "./series.ts";

/** What mcp-grafana makes of Loki's answers: entries with `labels` and a `line`, a `value` or `values`. */
export interface GrafanaLoki {
  readonly series: readonly Series[];
  readonly lines: readonly {
    readonly t: number;
    readonly labels: Readonly<Record<string, string>>;
    readonly line: string;
  }[];
}

/** Undefined where the text holds no list of entries. */
export function readGrafanaLoki(text: string): GrafanaLoki | undefined {
  const list = resultArray(parseJson(text));
  if (!list) return undefined;
  const entries = list.filter(isJsonObject);
  const numbers = entries.filter(({ line }) => line === undefined);
  const lines = entries.flatMap((entry) => {
    const t = Number(entry["timestamp"]) / 1e6;
    return typeof entry["line"] === "string" && Number.isFinite(t)
      ? [{ t, labels: labelsOf(entry), line: entry["line"] }]
      : [];
  });
  return { lines, series: joined(readSeries(JSON.stringify(numbers.map(asPrometheus))) ?? []) };
}

function asPrometheus(entry: JsonObject): JsonObject {
  const { values, value, timestamp, labels = {} } = entry;
  if (Array.isArray(values)) return { metric: labels, values: values.map(inSeconds) };
  return {
    metric: labels,
    values: value === undefined ? [] : [inSeconds(Array.isArray(value) ? value : [timestamp ?? 0, value])],
  };
}

/** Times come as seconds, or as nanoseconds in a text. */
function inSeconds(pair: Json): Json {
  if (!Array.isArray(pair)) return pair;
  const time = Number(pair[0]);
  return [time > 1e15 ? time / 1e9 : time > 1e11 ? time / 1e3 : time, pair[1] as Json];
}

/** One series for entries that are a point each. */
function joined(series: readonly Series[]): readonly Series[] {
  const byLabels = Map.groupBy(series, ({ labels }) =>
    JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
  return [...byLabels.values()].map((list) => ({
    labels: (list[0] as Series).labels,
    points: list.flatMap(({ points }) => points).sort((a, b) => a.t - b.t),
    gone: list.reduce((sum, { gone }) => sum + gone, 0),
  }));
}

function labelsOf({ labels }: JsonObject): Readonly<Record<string, string>> {
  if (!isJsonObject(labels)) return {};
  return Object.fromEntries(Object.entries(labels).flatMap(([key, v]) => (typeof v === "string" ? [[key, v]] : [])));
}
