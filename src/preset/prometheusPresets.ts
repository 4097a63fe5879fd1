import type { QueryTool, ServerPreset } from "./preset.ts";

const promql: Pick<QueryTool, "language" | "fixed" | "needs" | "shape"> = {
  language: "promql",
  fixed: {},
  needs: [],
  shape: "prometheus",
};

/** Metrics that nearly every target has: asking all series for a label would cost a large server dearly. */
const labelQuery =
  'group by (LABEL) ({__name__=~"up|target_info|.*requests_total|.*_duration_seconds_count",LABEL!=""})';

/** Servers in front of Prometheus or of what speaks its API. */
export const prometheusPresets: readonly ServerPreset[] = [
  {
    id: "mcp-prometheus",
    title: "mcp-prometheus (Go)",
    recognisedBy: ["query", "queryRange"],
    // queryRange knows only ranges that end now, so any window goes through the instant tool.
    queryTools: [{ ...promql, tool: "query", argument: "promql", time: { kind: "subquery" } }],
    labelTools: [{ ...promql, tool: "query", argument: "promql", written: labelQuery }],
    shapes: { query: "prometheus", queryRange: "prometheus" },
    readOnly: [
      "compareTimeRanges",
      "diagnoseNamespace",
      "diagnoseNode",
      "getClusterHealthOverview",
      "getPrometheusStatus",
      "getRules",
      "getTargets",
      "getTopResourceConsumers",
      "investigatePod",
      "query",
      "queryRange",
    ],
  },
  {
    id: "prometheus-mcp",
    title: "prometheus-mcp (Node)",
    recognisedBy: ["prometheus_query", "prometheus_query_range"],
    queryTools: [
      {
        ...promql,
        tool: "prometheus_query_range",
        argument: "query",
        time: {
          kind: "start_end",
          start: "start",
          end: "end",
          format: "iso",
          step: { argument: "step", format: "duration" },
        },
      },
    ],
    labelTools: [{ ...promql, tool: "prometheus_label_values", argument: "label", shape: "names" }],
    shapes: { prometheus_query: "prometheus", prometheus_query_range: "prometheus", prometheus_label_values: "names" },
    readOnly: [
      "prometheus_build_info",
      "prometheus_label_values",
      "prometheus_list_labels",
      "prometheus_list_metrics",
      "prometheus_list_targets",
      "prometheus_metric_metadata",
      "prometheus_query",
      "prometheus_query_range",
      "prometheus_runtime_info",
      "prometheus_scrape_pool_targets",
    ],
  },
  {
    id: "prometheus-mcp-server",
    title: "prometheus-mcp-server (Python)",
    recognisedBy: ["execute_query", "execute_range_query"],
    queryTools: [
      {
        ...promql,
        tool: "execute_range_query",
        argument: "query",
        time: {
          kind: "start_end",
          start: "start",
          end: "end",
          format: "iso",
          step: { argument: "step", format: "duration" },
        },
      },
    ],
    labelTools: [{ ...promql, tool: "execute_query", argument: "query", written: labelQuery }],
    shapes: { execute_query: "prometheus", execute_range_query: "prometheus" },
    readOnly: ["execute_query", "execute_range_query", "get_metric_metadata", "get_targets", "list_metrics"],
  },
  {
    id: "prometheus-official",
    title: "prometheus/prometheus-mcp (Go)",
    recognisedBy: ["query", "range_query", "label_values"],
    queryTools: [
      {
        ...promql,
        tool: "range_query",
        argument: "query",
        fixed: { truncation_limit: -1 },
        time: {
          kind: "start_end",
          start: "start_time",
          end: "end_time",
          format: "iso",
          step: { argument: "step", format: "duration" },
        },
      },
    ],
    labelTools: [
      { ...promql, tool: "label_values", argument: "label", fixed: { truncation_limit: -1 }, shape: "names" },
    ],
    shapes: { query: "prometheus", range_query: "prometheus", label_values: "names" },
    readOnly: [
      "exemplar_query",
      "label_names",
      "label_values",
      "list_alerts",
      "list_rules",
      "list_targets",
      "metric_metadata",
      "query",
      "range_query",
      "series",
      "tsdb_stats",
    ],
  },
];
