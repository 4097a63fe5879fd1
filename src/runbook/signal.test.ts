import { expect, test } from "vitest";
import { clockTime, quantity } from "./quantity.ts";
import { signalOf } from "./signal.ts";

const hints = { optional: false };

test.each([
  ["Latency p95 by service", "histogram_quantile(0.95, x_seconds_bucket)", "latency", "latency p95"],
  ["Error ratio by service", "a / b", "errors", "error ratio"],
  ["Error lines per second by service", "rate({a=~`.+`}[1m])", "errors", "error lines per second"],
  ["Log lines per second by service", "rate({a=~`.+`}[1m])", "traffic", "log lines per second"],
  ["Requests per second by service", "rate(x[1m])", "traffic", "requests per second"],
  ["Requests waiting for a pool or queue", "x", "saturation", "requests waiting for a pool or queue"],
  ["Resident memory by service", "process_resident_memory_bytes", "memory", "resident memory"],
  ["CPU used by service", "rate(process_cpu_seconds_total[1m])", "cpu", "CPU used"],
  ["Restarts by service", "changes(process_start_time_seconds[5m])", "restarts", "restarts"],
  ["Targets that are up", "up", "availability", "targets that are up"],
  ["promql query", "rate(http_request_errors_total[5m])", "errors", "promql query"],
] as const)("%s is about %s", (title, query, kind, shown) => {
  expect(signalOf({ title, hints }, query)).toMatchObject({ kind, title: shown });
});

test("hints go before guesses", () => {
  const signal = signalOf({ title: "Latency", hints: { ...hints, unit: "milliseconds", expect: "low" } }, "x_seconds");

  expect(signal).toMatchObject({ unit: "milliseconds", expect: "low", floor: 10 });
});

test("only a counter as it stands is made a rate", () => {
  expect(signalOf({ title: "Jobs", hints }, 'jobs_total{queue="a"}').counter).toBe(true);
  expect(signalOf({ title: "Jobs", hints }, "rate(jobs_total[5m])").counter).toBe(false);
});

test.each([
  [0.0244, "seconds", "24.4 ms"],
  [1.5, "seconds", "1.5 s"],
  [631.4, "milliseconds", "631 ms"],
  [0.4361, "ratio", "43.6 %"],
  [123_731_968, "bytes", "118 MiB"],
  [19.53, "per_second", "19.5/s"],
  [0.2, "cores", "0.2 cores"],
  [11, "count", "11"],
  [1234, undefined, "1234"],
  [0, "ratio", "0 %"],
  [152_300, "per_second", "152 k/s"],
  [10_500_000, "per_second", "10.5 M/s"],
] as const)("%d as %s is written %s", (value, unit, text) => {
  expect(quantity(value, unit)).toBe(text);
});

test("a time far from the window's end has its day", () => {
  const to = Date.UTC(2026, 10, 30, 14, 30);

  expect(clockTime(Date.UTC(2026, 10, 30, 14, 2, 10), { to })).toBe("14:02:10");
  expect(clockTime(Date.UTC(2026, 10, 28, 14, 2, 10), { to })).toBe("11-28 14:02:10");
});
