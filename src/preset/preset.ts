import type { JsonObject } from "../json/json.ts";

/** The same words as `QueryLanguage` of `query`, which this room does not import. */
export type PresetLanguage = "promql" | "logql" | "traceql";

/** How an instant is written in an argument. */
export type TimeFormat = "iso" | "unix" | "unix_ms" | "unix_ns";

/** How a tool is told the time range. */
export type TimeRange =
  /** The tool takes one instant query: `(expr)[range:step] @ <unix end>` gives any window, as a matrix. */
  | { readonly kind: "subquery" }
  /** `step`, where there is one, is written as `stepFormat`: `15s`, or 15 as a number of seconds. */
  | {
      readonly kind: "start_end";
      readonly start: string;
      readonly end: string;
      readonly format: TimeFormat;
      readonly step?: { readonly argument: string; readonly format: "duration" | "seconds" };
    }
  /** Whole minutes before now, so the window comes with all that followed it. */
  | { readonly kind: "lookback_minutes"; readonly argument: string }
  /** The tool always answers with what is now. */
  | { readonly kind: "none" };

/**
 * How to read a result's text. `prometheus`: JSON in which a `result` array of series stands, at the top, under `data`,
 * or as the top itself, each with `metric` and `values` or `value`. `loki`: the same, or streams (`stream`, `values` of
 * [ns, line]). `grafana_loki`: JSON of entries with `labels` and `line`, `value` or `values`, at the top or under
 * `data`. `tempo_series`: `series` of `labels` and `samples` (`timestampMs`, `value`). `names`: JSON in which a list of
 * texts stands, at the top, under `data`, `data.services` or `tagValues`. The shapes of autotel stand below `data`.
 * `prose`: a text for people.
 */
export type ResultShape =
  | "prometheus"
  | "loki"
  | "grafana_loki"
  | "tempo_search"
  | "tempo_series"
  | "tempo_trace"
  | "autotel_spans"
  | "autotel_traces"
  | "autotel_service_map"
  | "autotel_logs"
  | "autotel_errors"
  | "alertmanager_alerts"
  | "kubernetes"
  | "names"
  | "json"
  | "prose";

/** A tool that takes a query language. */
export interface QueryTool {
  readonly language: PresetLanguage;
  /** Where a server has different tools for them: `items` are log lines or traces, `series` numbers over time. Absent: any. */
  readonly gives?: "items" | "series";
  readonly tool: string;
  /** The argument that holds the query. */
  readonly argument: string;
  readonly time: TimeRange;
  /** Always sent as they stand here. */
  readonly fixed: JsonObject;
  /** Required arguments that only the operator knows (a datasource): from the configuration, else the tool cannot be used. */
  readonly needs: readonly string[];
  /** How many items an answer holds at most, asked for in `argument`. */
  readonly limit?: { readonly argument: string; readonly max: number };
  readonly shape: ResultShape;
}

/** A tool that tells the values of a label. */
export interface LabelTool {
  /** Absent where the server knows no query language. */
  readonly language?: PresetLanguage;
  readonly tool: string;
  /** The argument that holds the label's name; absent: the tool lists services, and knows no other label. */
  readonly argument?: string;
  /** What is written there, with `LABEL` for the name: for servers where only a query can tell. Default `LABEL`. */
  readonly written?: string;
  readonly fixed: JsonObject;
  readonly needs: readonly string[];
  readonly shape: ResultShape;
}

/** What is known about one common MCP server, recognised by the names of its tools. Pure data, frozen. */
export interface ServerPreset {
  /** Stable: `mcp-prometheus`, `prometheus-mcp`, `mcp-grafana`, `autotel-mcp`, ... */
  readonly id: string;
  readonly title: string;
  /** All of them must be listed for the server to be this one. */
  readonly recognisedBy: readonly string[];
  readonly queryTools: readonly QueryTool[];
  readonly labelTools: readonly LabelTool[];
  /** How the answers of tools are read that take no query language (`mcp` blocks). A tool that is not here: `json`, else `prose`. */
  readonly shapes: Readonly<Record<string, ResultShape>>;
  /** Tools known to only read, whatever the server's annotations say. */
  readonly readOnly: readonly string[];
}

/** A window in ms since the epoch; `now` is the run's. */
export interface RangeRequest {
  readonly from: number;
  readonly to: number;
  /** ms between two points; whole seconds. */
  readonly step: number;
  readonly now: number;
}

/** How much of the window a call asks for. A superset is the smallest that the tool can express: trim by timestamp, and say so. */
export type Covering =
  | { readonly kind: "exact" }
  | { readonly kind: "superset"; readonly from: number; readonly to: number; readonly reason: string }
  /** The tool knows no time: the answer is of now. */
  | { readonly kind: "instant"; readonly at: number; readonly reason: string };

export interface PlannedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly shape: ResultShape;
  readonly covering: Covering;
  /** An answer with this many items was probably cut: the window is then only partly covered. */
  readonly limit?: number;
}
