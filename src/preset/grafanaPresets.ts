import type { ServerPreset } from "./preset.ts";

const needs = ["datasourceUid"];
const rfc3339 = { kind: "start_end", start: "startRfc3339", end: "endRfc3339", format: "iso" } as const;
const startEnd = { kind: "start_end", start: "start", end: "end", format: "iso" } as const;

/** Grafana's own server, and those of Loki and Tempo. */
export const grafanaPresets: readonly ServerPreset[] = [
  {
    id: "mcp-grafana",
    title: "mcp-grafana",
    recognisedBy: ["query_prometheus", "query_loki_logs"],
    queryTools: [
      {
        language: "promql",
        tool: "query_prometheus",
        argument: "expr",
        time: {
          kind: "start_end",
          start: "startTime",
          end: "endTime",
          format: "iso",
          step: { argument: "stepSeconds", format: "seconds" },
        },
        fixed: { queryType: "range" },
        needs,
        shape: "prometheus",
      },
      {
        language: "logql",
        tool: "query_loki_logs",
        argument: "logql",
        // Only some of its versions take a step, and the others refuse arguments that they do not know.
        time: rfc3339,
        fixed: {},
        needs,
        limit: { argument: "limit", max: 100 },
        shape: "grafana_loki",
      },
      {
        language: "traceql",
        gives: "items",
        tool: "tempo_traceql-search",
        argument: "query",
        time: startEnd,
        fixed: {},
        needs,
        shape: "tempo_search",
      },
      {
        language: "traceql",
        gives: "series",
        tool: "tempo_traceql-metrics-range",
        argument: "query",
        time: startEnd,
        fixed: {},
        needs,
        shape: "tempo_series",
      },
    ],
    labelTools: [
      {
        language: "promql",
        tool: "list_prometheus_label_values",
        argument: "labelName",
        fixed: {},
        needs,
        shape: "names",
      },
      { language: "logql", tool: "list_loki_label_values", argument: "labelName", fixed: {}, needs, shape: "names" },
      { language: "traceql", tool: "tempo_get-attribute-values", argument: "name", fixed: {}, needs, shape: "names" },
    ],
    shapes: { query_prometheus: "prometheus", query_loki_logs: "grafana_loki", list_datasources: "json" },
    // Not here: what writes, and what reads people, schedules and incidents.
    readOnly: [
      "get_dashboard_by_uid",
      "get_dashboard_panel_queries",
      "get_dashboard_summary",
      "get_datasource_by_name",
      "get_datasource_by_uid",
      "list_alert_rules",
      "list_datasources",
      "list_loki_label_names",
      "list_loki_label_values",
      "list_prometheus_label_names",
      "list_prometheus_label_values",
      "list_prometheus_metric_metadata",
      "list_prometheus_metric_names",
      "query_loki_logs",
      "query_loki_stats",
      "query_prometheus",
      "search_dashboards",
    ],
  },
  {
    id: "loki-mcp",
    title: "loki-mcp",
    recognisedBy: ["loki_query", "loki_label_values"],
    queryTools: [
      {
        language: "logql",
        // It reads every answer as log lines, and fails on numbers.
        gives: "items",
        tool: "loki_query",
        argument: "query",
        time: startEnd,
        fixed: { format: "json" },
        needs: [],
        limit: { argument: "limit", max: 1000 },
        shape: "loki",
      },
    ],
    labelTools: [
      {
        language: "logql",
        tool: "loki_label_values",
        argument: "label",
        fixed: { format: "json" },
        needs: [],
        shape: "names",
      },
    ],
    shapes: { loki_query: "loki", loki_label_names: "names", loki_label_values: "names" },
    readOnly: ["loki_label_names", "loki_label_values", "loki_query"],
  },
  {
    id: "tempo",
    title: "Tempo's own MCP server",
    recognisedBy: ["traceql-search", "get-trace"],
    queryTools: [
      {
        language: "traceql",
        gives: "items",
        tool: "traceql-search",
        argument: "query",
        time: startEnd,
        fixed: {},
        needs: [],
        shape: "tempo_search",
      },
      {
        language: "traceql",
        gives: "series",
        tool: "traceql-metrics-range",
        argument: "query",
        time: startEnd,
        fixed: {},
        needs: [],
        shape: "tempo_series",
      },
    ],
    labelTools: [
      { language: "traceql", tool: "get-attribute-values", argument: "name", fixed: {}, needs: [], shape: "names" },
    ],
    shapes: { "traceql-search": "tempo_search", "traceql-metrics-range": "tempo_series", "get-trace": "tempo_trace" },
    readOnly: [
      "docs-traceql",
      "get-attribute-names",
      "get-attribute-values",
      "get-trace",
      "traceql-metrics-instant",
      "traceql-metrics-range",
      "traceql-search",
    ],
  },
];
