import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Pool } from "./pool.ts";

export interface Metrics {
  request(route: string, status: number, seconds: number): void;
  /** In Prometheus' text format. */
  text(): Promise<string>;
}

/** The metrics of one service. The label `service` comes from the scrape configuration, as in most fleets. */
export function serviceMetrics(pool: Pool): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time to answer a request.",
    labelNames: ["route", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10],
    registers,
  });
  const requests = new Counter({
    name: "http_requests_total",
    help: "Requests answered.",
    labelNames: ["route", "status"],
    registers,
  });
  const errors = new Counter({
    name: "http_request_errors_total",
    help: "Requests answered with a status of 500 or more.",
    labelNames: ["route"],
    registers,
  });
  const gauges = {
    db_pool_connections_in_use: { help: "Connections that are taken.", value: () => pool.inUse() },
    db_pool_connections_max: { help: "Connections that there are.", value: () => pool.size },
    db_pool_requests_waiting: { help: "Requests that wait for a connection.", value: () => pool.waiting() },
  };
  for (const [name, { help, value }] of Object.entries(gauges)) {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(value()) });
  }

  return {
    request(route, status, seconds) {
      duration.observe({ route, status }, seconds);
      requests.inc({ route, status });
      // Counted as zero too: a series that is born with the first error hides that error from rate().
      errors.inc({ route }, status >= 500 ? 1 : 0);
    },
    text: () => registry.metrics(),
  };
}
