import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read } from "./reading.ts";
import { serviceOf } from "./serviceOf.ts";

const answer = async (name: string) => {
  const path = join(import.meta.dirname, `../../test/fixtures/loki-tempo/${name}.json`);
  return (JSON.parse(await readFile(path, "utf8")) as { body: string }).body;
};

test("log lines of Loki have their service, their level and their message", async () => {
  const { logs } = read(await answer("loki-streams"), "loki", serviceOf) ?? {};

  expect(logs?.length).toBeGreaterThan(0);
  expect(logs?.[0]).toMatchObject({ service: "payments", failed: true });
  expect(logs?.[0]?.text).toMatch(/^GET \/charge 500: card gateway/);
  expect(logs?.map(({ t }) => t)).toEqual(logs?.map(({ t }) => t).sort((a, b) => a - b));
});

test("numbers of Loki are series", async () => {
  const { series } = read(await answer("loki-metric"), "loki", serviceOf) ?? {};

  expect(series).toHaveLength(5);
  expect(serviceOf(series?.[0]?.labels ?? {})).toBe("checkout");
});

test("an empty answer of Loki is one, its error is none", async () => {
  expect(read(await answer("loki-empty"), "loki", serviceOf)).toEqual({ series: [] });
  expect(read(await answer("loki-err_parse"), "loki", serviceOf)).toBeUndefined();
});

test("traces that Tempo found have ids and times", async () => {
  const { found } = read(await answer("tempo-traceql_dur"), "tempo_search", serviceOf) ?? {};

  expect(found?.[0]).toEqual({
    id: "b4daa463de94b09a49af7244f8c47ad",
    service: "checkout",
    name: "GET",
    start: 1796060969615,
    duration: 26,
  });
});

test("Loki through Grafana gives lines, or series of entries that are a point each", () => {
  const labels = { service_name: "payments", level: "error" };
  const lines = JSON.stringify({ data: [{ timestamp: "1796060997512000348", labels, line: '{"msg":"no"}' }] });
  const points = JSON.stringify([
    { timestamp: "1796060997000000000", labels, value: 2 },
    { timestamp: "1796060998000000000", labels, value: 3 },
  ]);

  expect(read(lines, "grafana_loki", serviceOf)?.logs).toMatchObject([
    { service: "payments", failed: true, text: "no" },
  ]);
  expect(read(points, "grafana_loki", serviceOf)?.series).toMatchObject([
    {
      labels,
      points: [
        { t: 1796060997000, v: 2 },
        { t: 1796060998000, v: 3 },
      ],
    },
  ]);
});

test("series of TraceQL are read with the service's label as metrics have it", () => {
  const text = JSON.stringify({
    series: [
      {
        labels: [{ key: "resource.service.name", value: { stringValue: "payments" } }],
        samples: [{ timestampMs: "1000", value: 0.5 }, { timestampMs: "2000" }],
      },
    ],
  });

  expect(read(text, "tempo_series", serviceOf)?.series).toEqual([
    {
      labels: { service_name: "payments" },
      points: [
        { t: 1000, v: 0.5 },
        { t: 2000, v: 0 },
      ],
      gone: 0,
    },
  ]);
});

test("alerts are read flat or in groups, those that are held back too", () => {
  const alert = (state: string) => ({
    labels: { alertname: "HighLatency", service: "payments" },
    annotations: { summary: "slow" },
    startsAt: "2026-11-30T14:02:17.000Z",
    status: { state },
  });
  const found = (suppressed: boolean) => [
    {
      name: "HighLatency",
      labels: { alertname: "HighLatency", service: "payments" },
      since: Date.UTC(2026, 10, 30, 14, 2, 17),
      summary: "slow",
      suppressed,
    },
  ];

  const alertsIn = (answer: unknown) => read(JSON.stringify(answer), "alertmanager_alerts", serviceOf)?.alerts;
  expect(alertsIn([alert("active")])).toEqual(found(false));
  expect(alertsIn([alert("suppressed")])).toEqual(found(true));
  expect(alertsIn([{ alerts: [alert("active")] }])).toEqual(found(false));
});

test("warnings of Kubernetes are read from YAML below a line of prose", () => {
  const text = `# The following events (YAML format) were found:
- InvolvedObject:
    Kind: Pod
    Name: payments-7c9f-x2x
  Message: Back-off restarting failed container
  Reason: BackOff
  Timestamp: 2026-11-30 14:05:10 +0000 UTC
  Type: Warning
- InvolvedObject: { Kind: Pod, Name: a }
  Reason: Pulled
  Timestamp: 2026-11-30 14:05:11 +0000 UTC
  Type: Normal
`;

  expect(read(text, "kubernetes", serviceOf)?.events).toEqual([
    {
      reason: "BackOff",
      about: "Pod payments-7c9f-x2x",
      t: Date.UTC(2026, 10, 30, 14, 5, 10),
      message: "Back-off restarting failed container",
    },
  ]);
});

test.each([
  [{ service: "a", job: "b" }, "a"],
  [{ service_name: "a" }, "a"],
  [{ pod: "payments-7c9f6d5b8-x2x4k" }, "payments"],
  [{ pod: "db-0" }, "db"],
  [{ job: "b", service: "" }, "b"],
  [{ instance: "x:1" }, undefined],
])("labels %j speak of %s", (labels, service) => {
  expect(serviceOf(labels as Readonly<Record<string, string>>)).toBe(service);
});
