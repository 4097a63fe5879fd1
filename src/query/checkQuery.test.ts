import { expect, test } from "vitest";
import type { QueryLanguage } from "./block.ts";
import { checkQuery } from "./checkQuery.ts";

test.each<[QueryLanguage, string]>([
  ["promql", 'sum by (service) (rate(http_requests_total{code=~"5.."}[$__rate_interval]))'],
  ["promql", "topk($n, $metric offset $ago)"],
  ["promql", "sum by ($label) (rate($metric[$range])) > bool $limit # over $range"],
  ["promql", 'histogram_quantile(0.95, sum by (le) (rate(x_bucket{a="$a"}[5m])))[30m:15s] @ $to_unix'],
  ["logql", 'sum by (level) (count_over_time({app="$app"} |~ "(?i)error" | json [$__auto]))'],
  ["logql", '{service_name=~".+"} | json | level=~"error|fatal"'],
  ["traceql", '{ resource.service.name = "$service" && duration > 5ms }'],
  ["traceql", "{ status = error } | rate() by (resource.service.name)"],
])("%s: %s is right", async (language, text) => {
  expect(await checkQuery(language, text)).toEqual([]);
});

test.each<[QueryLanguage, string, number, number, string]>([
  ["promql", "rate(x)", 1, 6, 'expected type matrix in call to function "rate", got vector'],
  [
    "promql",
    "sum(\n  histogram_quantile(0.9)\n)",
    2,
    3,
    'expected 2 argument(s) in call to "histogram_quantile", got 1',
  ],
  ["promql", "sum by (a) (rate(x[5m])", 1, 24, "the query ends where more is expected"],
  ["promql", "up up", 1, 4, 'syntax error at "up"'],
  ["promql", "  # only a comment", 1, 1, "the query is empty"],
  ["promql", 'x{service="$service", a=foo}', 1, 25, 'syntax error at "foo"'],
  ["promql", 'x{a="😀"} $metric {', 1, 10, 'syntax error at "x"'],
  ["logql", "{service=payments}", 1, 10, 'syntax error at "payments"'],
  ["logql", '{service="$service"} |= ', 1, 25, "the query ends where more is expected"],
  ["logql", 'rate({env="bed"}[5m]', 1, 21, "the query ends where more is expected"],
])("%s: %j is wrong at %i:%i", async (language, text, line, column, message) => {
  expect(await checkQuery(language, text)).toEqual([{ severity: "error", line, column, message }]);
});

test("what TraceQL's grammar refuses is a warning", async () => {
  expect(await checkQuery("traceql", "{resource.service.name=}")).toEqual([
    { severity: "warning", line: 1, column: 24, message: 'syntax error at "}"' },
  ]);
});

test("a long query is checked to its end", async () => {
  const text = `x{a=~"${Array.from({ length: 2000 }, (_, n) => `x${n}`).join("|")}"} + rate(y)`;

  expect(await checkQuery("promql", text)).toMatchObject([{ line: 1, column: text.length - 1 }]);
});
