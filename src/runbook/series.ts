import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";

export interface Point {
  /** ms since the Unix epoch. */
  readonly t: number;
  readonly v: number;
}

/** Numbers over time under one set of labels. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Ascending by time, each time once; never NaN or infinite. */
  readonly points: readonly Point[];
  /** Values that were no numbers: 0/0 of a ratio without traffic, quantiles of nothing. */
  readonly gone: number;
}

/**
 * The series in a result that has Prometheus' shape: an array `result`, or the top itself, of `metric` with `values`
 * or `value`. Histograms and streams are no series. Undefined where the text holds no such array; an empty array is an
 * answer.
 */
export function readSeries(text: string): readonly Series[] | undefined {
  const items = resultArray(parseJson(text));
  if (!items) return undefined;
  const series = items.flatMap((item) => {
    if (!isJsonObject(item) || !isJsonObject(item["metric"] ?? {}) || "stream" in item || "line" in item) return [];
    const values = Array.isArray(item["values"]) ? item["values"] : item["value"] === undefined ? [] : [item["value"]];
    return values.length === 0 ? [] : [seriesOf((item["metric"] ?? {}) as JsonObject, values)];
  });
  return series.length === 0 && items.length > 0 ? undefined : series;
}

/** JSON in a text, also behind a line of prose; undefined where there is none. */
export function parseJson(text: string): Json | undefined {
  const start = text.search(/[[{]/);
  if (start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start)) as Json;
  } catch {
    // Prose that holds a bracket.
    return undefined;
  }
}

/** The array that answers of Prometheus, Loki and their MCP servers hold, at whatever depth they wrap it. */
export function resultArray(value: Json | undefined): readonly Json[] | undefined {
  if (Array.isArray(value)) return value as readonly Json[];
  if (!isJsonObject(value)) return undefined;
  for (const key of ["result", "data", "results"]) {
    const found = resultArray(value[key]);
    if (found) return found;
  }
  return undefined;
}

function seriesOf(metric: JsonObject, values: readonly Json[]): Series {
  const labels = Object.fromEntries(
    Object.entries(metric).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
  const byTime = new Map<number, number>();
  let gone = 0;
  for (const pair of values) {
    if (!Array.isArray(pair)) continue;
    const t = Math.round(toNumber(pair[0] as Json) * 1000);
    const v = toNumber(pair[1] as Json);
    if (!Number.isFinite(t)) continue;
    if (Number.isFinite(v)) byTime.set(t, v);
    else gone += 1;
  }
  const points = [...byTime].map(([t, v]) => ({ t, v })).sort((a, b) => a.t - b.t);
  return { labels, points, gone };
}

function toNumber(value: Json | undefined): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
}

/** A counter as a rate per second between its samples; where it was reset, it began at zero again. */
export function counterRate(series: Series): { readonly series: Series; readonly resets: number } {
  let resets = 0;
  const points = series.points.slice(1).flatMap(({ t, v }, index): readonly Point[] => {
    const before = series.points[index] as Point;
    if (v < before.v) resets += 1;
    const seconds = (t - before.t) / 1000;
    return [{ t, v: (v < before.v ? v : v - before.v) / seconds }];
  });
  return { series: { ...series, points }, resets };
}
