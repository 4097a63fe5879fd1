import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../test/kit/eventually.ts";
import { freePort } from "../../test/kit/freePort.ts";
import { needs } from "../../test/kit/needs.ts";
import { startAlertmanager } from "../../test/kit/startAlertmanager.ts";
import { startAutotel } from "../../test/kit/startAutotel.ts";
import { startPrometheus } from "../../test/kit/startPrometheus.ts";
import { thirdParty } from "../../test/kit/thirdParty.ts";
import { http, reading, stdio, textOf, withRegistry } from "../../test/mcp/withRegistry.ts";
import type { ServerConfig } from "../config/config.ts";
import type { PlannedCall, ServerPreset } from "./preset.ts";
import { presetFor } from "./presets.ts";
import { labelCall, rangeCall } from "./rangeCall.ts";
import { scrapeCountQuery, scrapeIntervalFrom } from "./scrapeInterval.ts";

const second = 1000;

/** A server, what is known about it, and its answers as parsed JSON. */
async function known(config: ServerConfig) {
  const { registry, ...rest } = await withRegistry([config]);
  const names = registry.tools().map(({ tool }) => tool.name);
  const preset = presetFor(names) as ServerPreset;
  return {
    ...rest,
    preset,
    names,
    tools: registry.tools().map(({ tool }) => tool),
    async ask({ tool, arguments: args }: Pick<PlannedCall, "tool" | "arguments">): Promise<unknown> {
      const outcome = await registry.call(config.name, tool, args, reading);
      if (outcome.outcome !== "ok") throw new Error(JSON.stringify(outcome));
      return JSON.parse(textOf(outcome));
    },
  };
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

/** The series of the shape `prometheus`. */
function seriesOf(answer: unknown): readonly Series[] {
  const top = answer as { readonly data?: { readonly result: readonly Series[] }; readonly result?: readonly Series[] };
  return top.data?.result ?? top.result ?? [];
}

describe("in front of a real Prometheus", needs("prometheus", "go-servers"), () => {
  let stack: AsyncDisposableStack;
  let url: string;
  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const port = await freePort();
    const targets = [{ address: `127.0.0.1:${port}`, labels: { service: "itself" } }];
    ({ url } = stack.use(await startPrometheus({ port, targets })));
    await eventually(
      "ten samples",
      async () => {
        const answer = await fetch(`${url}/api/v1/query?query=count_over_time(up[1m])`).then((response) =>
          response.text(),
        );
        return Number(/"(\d+)"\]/.exec(answer)?.[1]) >= 10;
      },
      20_000,
    );
  });
  afterAll(() => stack?.disposeAsync());

  test.each([
    ["mcp-prometheus", thirdParty.prometheusGo],
    ["prometheus-mcp", thirdParty.prometheusNode],
  ])("%s gives an absolute window, values of labels, and how often is scraped", async (id, program) => {
    await using server = await known(stdio("metrics", program, { env: { PROMETHEUS_URL: url } }));
    expect(server.preset.id).toBe(id);
    const [tool] = server.preset.queryTools;
    const [labels] = server.preset.labelTools;
    if (!tool || !labels) throw new Error("no tool");
    const now = Date.now();
    const window = { from: now - 7 * second, to: now - 2 * second, step: second, now };

    const up = seriesOf(await server.ask(rangeCall(tool, 'sum by (service) (up{service="itself"}) # all', window)));
    const values = JSON.stringify(await server.ask(labelCall(labels, "service") as PlannedCall));
    const probe = seriesOf(await server.ask(rangeCall(tool, scrapeCountQuery, { ...window, from: now - 3 * second })));

    expect(up.map(({ metric }) => metric)).toEqual([{ service: "itself" }]);
    const times = up.flatMap(({ values }) => values.map(([time]) => time));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(Math.floor(window.from / second));
    expect(Math.max(...times)).toBeLessThanOrEqual(Math.ceil(window.to / second));
    expect(times.length).toBeGreaterThanOrEqual(5);
    expect(values).toContain('"itself"');
    const interval = scrapeIntervalFrom(Number(probe[0]?.values.at(-1)?.[1])) as number;
    expect(interval).toBeGreaterThanOrEqual(second);
    expect(interval).toBeLessThanOrEqual(10 * second);
  });
});

test.each([
  ["prometheus-mcp", thirdParty.prometheusNode, { PROMETHEUS_URL: "http://127.0.0.1:9" }],
  ["mcp-grafana", thirdParty.grafana, { GRAFANA_URL: "http://127.0.0.1:9", GRAFANA_SERVICE_ACCOUNT_TOKEN: "none" }],
])("%s has the tools and arguments that its preset names", async (id, program, env) => {
  await using server = await known(stdio("any", program, { env }));
  expect(server.preset.id).toBe(id);
  const offered = new Map(server.tools.map(({ name, inputSchema }) => [name, inputSchema]));
  const now = Date.UTC(2026, 0, 1);

  for (const tool of server.preset.queryTools.filter(({ tool }) => offered.has(tool))) {
    const needed = Object.fromEntries(tool.needs.map((name) => [name, "x"]));
    const { arguments: args } = rangeCall(tool, "up", { from: now - 60_000, to: now, step: 1000, now }, needed);
    const { properties = {}, required = [] } = offered.get(tool.tool) as {
      readonly properties?: object;
      readonly required?: readonly string[];
    };
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(args)));
    expect(Object.keys(args)).toEqual(expect.arrayContaining([...required]));
  }
  expect(server.names).toEqual(expect.arrayContaining([...server.preset.readOnly]));
});

test("mcp-alertmanager is known, and getAlerts gives a list", needs("alertmanager", "go-servers"), async () => {
  await using alertmanager = await startAlertmanager();
  const labels = { alertname: "Test", service: "itself" };
  await fetch(`${alertmanager.url}/api/v2/alerts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify([{ labels }]),
  });
  await using server = await known(
    stdio("alerts", thirdParty.alertmanagerGo, { env: { ALERTMANAGER_URL: alertmanager.url } }),
  );

  expect(server.preset).toMatchObject({ id: "mcp-alertmanager", shapes: { getAlerts: "alertmanager_alerts" } });
  await eventually("the alert is there", async () => {
    const alerts = (await server.ask({ tool: "getAlerts", arguments: {} })) as readonly { labels: object }[];
    return alerts.some((alert) => JSON.stringify(alert.labels) === JSON.stringify(labels));
  });
  expect(server.names).toEqual(expect.arrayContaining([...server.preset.readOnly]));
});

test("autotel-mcp takes absolute times where its preset says so, and lists services", async () => {
  await using autotel = await startAutotel();
  const now = Date.now();
  await sendSpans(autotel.otlpUrl, [
    { name: "old", at: now - 120 * second },
    { name: "new", at: now - 10 * second },
  ]);
  await using server = await known(http("otel", autotel.mcpUrl));
  const iso = (time: number) => new Date(time).toISOString();
  const window = { from: iso(now - 130 * second), to: iso(now - 60 * second) };
  const [labels] = server.preset.labelTools;

  const traces = await server.ask({ tool: "search_traces", arguments: { ...window, limit: 100, includeSpans: true } });
  const spans = await server.ask({ tool: "search_spans", arguments: { ...window, limit: 100 } });
  const services = await server.ask(labelCall(labels as NonNullable<typeof labels>, "service") as PlannedCall);

  expect(server.preset.id).toBe("autotel-mcp");
  for (const answer of [traces, spans]) {
    expect(JSON.stringify(answer)).toContain('"operationName":"old"');
    expect(JSON.stringify(answer)).not.toContain('"operationName":"new"');
  }
  expect(services).toMatchObject({ ok: true, data: { services: ["itself"] } });
  expect(server.names).toEqual(expect.arrayContaining([...server.preset.readOnly]));
});

async function sendSpans(url: string, spans: readonly { readonly name: string; readonly at: number }[]): Promise<void> {
  const attributes = [{ key: "service.name", value: { stringValue: "itself" } }];
  const written = spans.map(({ name, at }, index) => ({
    traceId: `${index + 1}`.padStart(32, "0"),
    spanId: `${index + 1}`.padStart(16, "0"),
    name,
    kind: 2,
    startTimeUnixNano: `${at}000000`,
    endTimeUnixNano: `${at + 5}000000`,
  }));
  const response = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: written }] }] }),
  });
  expect(response.status).toBe(200);
}
