import type { ResultShape } from "../preset/preset.ts";
import { type Alert, readAlerts } from "./alerts.ts";
import { readGrafanaLoki } from "./grafanaLoki.ts";
import { type ClusterEvent, readEvents } from "./kubernetesEvents.ts";
import { type LogLine, logLine, readLogs } from "./logs.ts";
import { readSeries, type Series } from "./series.ts";
import { readServiceMap } from "./serviceMap.ts";
import type { ServiceOf } from "./serviceOf.ts";
import { readSpans, type Span } from "./spans.ts";
import { type FoundTrace, readTempoSearch, readTempoSeries } from "./tempo.ts";

/** What an answer holds, as far as the runbook can use it. */
export interface Reading {
  readonly series?: readonly Series[];
  readonly alerts?: readonly Alert[];
  readonly logs?: readonly LogLine[];
  readonly events?: readonly ClusterEvent[];
  readonly spans?: readonly Span[];
  readonly found?: readonly FoundTrace[];
  readonly calls?: readonly (readonly [caller: string, callee: string])[];
}

/** By the shape that is known for the tool; where it is plain JSON, by what it looks like. Undefined for what is neither. */
export function read(text: string, shape: ResultShape, serviceOf: ServiceOf): Reading | undefined {
  switch (shape) {
    case "prometheus":
      return named("series", readSeries(text));
    case "loki":
      return named("series", readSeries(text)) ?? named("logs", readLogs(text, serviceOf));
    case "grafana_loki": {
      const found = readGrafanaLoki(text);
      return found && { series: found.series, logs: found.lines.map((entry) => logLine(entry, serviceOf)) };
    }
    case "tempo_series":
      return named("series", readTempoSeries(text));
    case "tempo_search":
      return named("found", readTempoSearch(text));
    case "autotel_traces":
    case "autotel_spans":
    case "tempo_trace":
      return named("spans", readSpans(text));
    case "autotel_service_map":
      return named("calls", readServiceMap(text));
    case "autotel_logs":
      return named("logs", readLogs(text, serviceOf));
    case "alertmanager_alerts":
      return named("alerts", readAlerts(text));
    case "kubernetes":
      return named("events", readEvents(text));
    case "json":
      return named("series", readSeries(text)) ?? named("alerts", readAlerts(text));
    default:
      return undefined;
  }
}

function named<K extends keyof Reading>(key: K, value: Reading[K]): Reading | undefined {
  return value === undefined ? undefined : { [key]: value };
}

export function sizeOf(reading: Reading): number {
  const { series = [], calls = [], found = [] } = reading;
  const points = series.reduce((sum, one) => sum + one.points.length + one.gone, 0);
  return points + calls.length + found.length + itemsOf(reading);
}

/** Log lines, traces and alerts: what tools give so many of at most. */
export function itemsOf({ logs = [], spans = [], alerts = [], events = [], found = [] }: Reading = {}): number {
  return logs.length + alerts.length + events.length + found.length + new Set(spans.map(({ trace }) => trace)).size;
}
