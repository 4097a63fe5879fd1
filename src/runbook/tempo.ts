import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { parseJson, resultArray, type Series } from "./series.ts";

/** Series of a TraceQL metrics query: `series` of `labels` and `samples`; undefined where the text holds none. */
export function readTempoSeries(text: string): readonly Series[] | undefined {
  const value = parseJson(text);
  const list = isJsonObject(value) ? (value["series"] ?? resultArray(value)) : resultArray(value);
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((item) => {
    if (!isJsonObject(item) || !Array.isArray(item["samples"])) return [];
    const points = item["samples"].flatMap((sample: Json) => {
      if (!isJsonObject(sample)) return [];
      const t = Number(sample["timestampMs"]);
      const v = Number(sample["value"] ?? 0);
      return Number.isFinite(t) ? [{ t, v }] : [];
    });
    const kept = points.filter(({ v }) => Number.isFinite(v)).sort((a, b) => a.t - b.t);
    return [{ labels: labelsOf(item["labels"]), points: kept, gone: points.length - kept.length }];
  });
}

/** As attributes with typed values, or as a plain object; names without `resource.` and with `_` for dots, as metrics have them. */
function labelsOf(labels: Json | undefined): Readonly<Record<string, string>> {
  const pairs = Array.isArray(labels)
    ? labels.flatMap((label): readonly (readonly [string, Json])[] => {
        if (!isJsonObject(label) || typeof label["key"] !== "string") return [];
        const value = label["value"];
        return [[label["key"], isJsonObject(value) ? (Object.values(value)[0] ?? "") : (value ?? "")]];
      })
    : Object.entries(isJsonObject(labels) ? labels : {});
  return Object.fromEntries(
    pairs.map(([name, value]) => [
      name.replace(/^(resource|span)\./, "").replaceAll(".", "_"),
      typeof value === "string" ? value.replace(/^"(.*)"$/, "$1") : JSON.stringify(value),
    ]),
  );
}

/** A trace that a TraceQL search found. */
export interface FoundTrace {
  readonly id: string;
  /** Service of its root span. */
  readonly service: string;
  readonly name: string;
  /** ms since the Unix epoch. */
  readonly start: number;
  /** ms. */
  readonly duration: number;
}

/** Undefined where the text holds no list of traces. */
export function readTempoSearch(text: string): readonly FoundTrace[] | undefined {
  const value = parseJson(text);
  const list = isJsonObject(value) ? (value["traces"] ?? undefined) : undefined;
  return Array.isArray(list) ? list.flatMap((item) => (isJsonObject(item) ? foundTrace(item) : [])) : undefined;
}

function foundTrace(item: JsonObject): readonly FoundTrace[] {
  const { traceID, rootServiceName, rootTraceName, startTimeUnixNano, durationMs } = item;
  const start = Number(startTimeUnixNano) / 1e6;
  if (typeof traceID !== "string" || !Number.isFinite(start)) return [];
  return [
    {
      id: traceID,
      service: typeof rootServiceName === "string" ? rootServiceName : "",
      name: typeof rootTraceName === "string" ? rootTraceName : "",
      start,
      duration: typeof durationMs === "number" ? durationMs : 0,
    },
  ];
}
