import fc from "fast-check";
import { expect, test } from "vitest";
import type { ResultShape } from "../../src/preset/preset.ts";
import { read } from "../../src/runbook/reading.ts";
import { drive, matrix, promql, skillOf, window } from "./drive.ts";

const shapes: readonly ResultShape[] = [
  "prometheus",
  "loki",
  "grafana_loki",
  "tempo_search",
  "tempo_series",
  "tempo_trace",
  "autotel_spans",
  "autotel_traces",
  "autotel_service_map",
  "autotel_logs",
  "autotel_errors",
  "alertmanager_alerts",
  "kubernetes",
  "names",
  "json",
  "prose",
];

/** The words that answers are made of, at places where nobody expects them. */
const words = [
  "data",
  "result",
  "metric",
  "values",
  "value",
  "items",
  "spans",
  "traces",
  "series",
  "samples",
  "batches",
]
  .concat(["labels", "stream", "edges", "alerts", "startsAt", "traceId", "spanId", "serviceName", "startTimeUnixMs"])
  .concat(["durationMs", "resource", "attributes", "scopeSpans", "InvolvedObject", "Type", "timestamp", "line"]);
const leaf = fc.oneof(
  fc.constantFrom(null, true, "", "NaN", "1e999", "payments", 0, -1, 1e308, 1e19, window.from, window.from / 1000),
  fc.string(),
);
const { answer } = fc.letrec((tie) => ({
  answer: fc.oneof(
    { maxDepth: 6 },
    leaf,
    fc.array(tie("answer"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...words), tie("answer"), { maxKeys: 5 }),
  ),
}));

test("whatever a server answers, reading it does not throw", () => {
  fc.assert(
    fc.property(answer, fc.constantFrom(...shapes), (value, shape) => {
      read(JSON.stringify(value), shape, () => undefined);
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom(...shapes), (text, shape) => {
      read(text, shape, () => undefined);
    }),
  );
});

test("whatever servers answer, there is a report, and it confirms nothing", async () => {
  const skills = [
    skillOf("prometheus", promql("Latency", "x")),
    skillOf("otel", "```mcp\ntool: search_logs\n```", "```mcp\ntool: service_map\n```"),
  ];
  const text = fc.oneof(
    answer.map((value) => JSON.stringify(value)),
    fc.constantFrom("", "[]", "no data", matrix({ a: () => 1, b: (minute) => (minute < 40 ? 1 : 9) }, 60)),
  );
  await fc.assert(
    fc.asyncProperty(text, text, text, async (metrics, traces, logs) => {
      const { claim } = await drive({
        skills,
        servers: {
          prometheus: { query: () => metrics, queryRange: () => metrics },
          otel: { search_traces: () => traces, service_map: () => logs, search_logs: () => logs },
        },
      });

      expect(["likely", "inconclusive"]).toContain(claim.verdict);
      expect(JSON.stringify(claim)).not.toMatch(/NaN|undefined|Infinity/);
    }),
    { numRuns: 200 },
  );
});
