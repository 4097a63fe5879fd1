import { expect, test } from "vitest";
import { coveringOfHoles } from "./covering.ts";
import type { LabelTool, QueryTool } from "./preset.ts";
import { presetFor, presets, queryToolFor } from "./presets.ts";
import { labelCall, rangeCall } from "./rangeCall.ts";

const minute = 60_000;
const now = Date.UTC(2026, 10, 30, 14, 30, 0);
const request = { from: now - 30 * minute, to: now - 2 * minute, step: 15_000, now };

function queryTool(id: string, language: QueryTool["language"], text = "up"): QueryTool {
  const preset = presets.find((candidate) => candidate.id === id);
  const tool =
    preset &&
    queryToolFor(
      preset,
      { language, text },
      preset.queryTools.map(({ tool }) => tool),
    );
  if (!tool) throw new Error(`${id} has no tool for ${language}`);
  return tool;
}

function labelTool(id: string): LabelTool {
  return presets.find((preset) => preset.id === id)?.labelTools[0] as LabelTool;
}

test("every preset is told by its tools, and by no configured name", () => {
  for (const preset of presets)
    expect(presetFor([...preset.readOnly, ...preset.recognisedBy, "x"])?.id).toBe(preset.id);
  expect(presetFor(["query"])).toBeUndefined();
  expect(presetFor([])).toBeUndefined();
});

test("no preset takes a tool for harmless that writes, runs or shows secrets", () => {
  const doubtful = /create|delete|update|pods_exec|run$|scale|write|reload|quit|snapshot|configuration|resources_/i;
  const named = presets.flatMap(({ readOnly }) => readOnly).filter((tool) => doubtful.test(tool));

  expect(named).toEqual([]);
});

test("a window through an instant tool is a subquery that ends at a fixed time", () => {
  const tool = queryTool("mcp-prometheus", "promql");

  expect(rangeCall(tool, "sum(up)", request)).toEqual({
    tool: "query",
    arguments: { promql: `(sum(up))[1680s:15s] @ ${(now - 2 * minute) / 1000}` },
    shape: "prometheus",
    covering: { kind: "exact" },
  });
  expect(rangeCall(tool, "up # all", { ...request, to: request.from + 1500 }).arguments["promql"]).toMatch(
    /^\(up # all\n\)\[2s:15s\] @ \d+$/,
  );
});

test("a window with a start, an end and a step is written as the tool wants it", () => {
  expect(rangeCall(queryTool("prometheus-mcp", "promql"), "up", request).arguments).toEqual({
    query: "up",
    start: "2026-11-30T14:00:00.000Z",
    end: "2026-11-30T14:28:00.000Z",
    step: "15s",
  });
  expect(rangeCall(queryTool("mcp-grafana", "promql"), "up", request, { datasourceUid: "p1" }).arguments).toEqual({
    datasourceUid: "p1",
    expr: "up",
    queryType: "range",
    startTime: "2026-11-30T14:00:00.000Z",
    endTime: "2026-11-30T14:28:00.000Z",
    stepSeconds: 15,
  });
  expect(rangeCall(queryTool("loki-mcp", "logql", '{a="b"}'), '{a="b"}', request)).toMatchObject({
    arguments: { query: '{a="b"}', format: "json", limit: 1000, start: "2026-11-30T14:00:00.000Z" },
    limit: 1000,
  });
});

test("lines and numbers, traces and rates go to the tool that gives them", () => {
  const tempo = (text: string) => queryTool("tempo", "traceql", text).tool;

  expect(tempo('{ resource.service.name = "| rate()" }')).toBe("traceql-search");
  expect(tempo("{ status = error } | rate() by (resource.service.name)")).toBe("traceql-metrics-range");
  expect(tempo("{ } | quantile_over_time(duration, .95)")).toBe("traceql-metrics-range");
  expect(() => queryTool("loki-mcp", "logql", 'sum(rate({a="b"}[1m]))')).toThrow("no tool");
});

test("a tool of whole minutes before now covers more than the window, and that is said", () => {
  const tool: QueryTool = {
    ...queryTool("prometheus-mcp", "promql"),
    time: { kind: "lookback_minutes", argument: "minutes" },
  };

  const call = rangeCall(tool, "up", { ...request, from: request.from - 1 });

  expect(call.arguments).toEqual({ minutes: 31, query: "up" });
  expect(call.covering).toMatchObject({ kind: "superset", from: now - 31 * minute, to: now });
});

test("what an mcp block covers is told by its holes", () => {
  expect(coveringOfHoles(["from", "to"], request)).toEqual({ kind: "exact" });
  expect(coveringOfHoles(["from_unix", "to_unix", "x"], request)).toEqual({ kind: "exact" });
  expect(coveringOfHoles(["from"], request)).toMatchObject({ kind: "superset", from: request.from, to: now });
  expect(coveringOfHoles(["lookback_minutes"], request)).toMatchObject({ kind: "superset", to: now });
  expect(coveringOfHoles(["lookback_minutes"], { ...request, to: now })).toEqual({ kind: "exact" });
  expect(coveringOfHoles([], request)).toMatchObject({ kind: "instant", at: now });
});

test("values of a label come from the tool for them, or from a query", () => {
  expect(labelCall(labelTool("prometheus-mcp"), "service")?.arguments).toEqual({ label: "service" });
  expect(labelCall(labelTool("mcp-prometheus"), "service")?.arguments["promql"]).toMatch(
    /^group by \(service\) \(\{.*,service!=""\}\)$/,
  );
  expect(labelCall(labelTool("mcp-prometheus"), "service.name")).toBeUndefined();
  expect(labelCall(labelTool("autotel-mcp"), "service")).toMatchObject({ tool: "list_services", arguments: {} });
  expect(labelCall(labelTool("autotel-mcp"), "pod")).toBeUndefined();
});
