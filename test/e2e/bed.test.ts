import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { type Bed, startBed } from "../bed/startBed.ts";
import { eventually } from "../kit/eventually.ts";
import { endProcess, korvusPlace } from "../kit/korvus.ts";
import { needs } from "../kit/needs.ts";
import { type Answer, type Asked, inTurn, providerMock, rawPart, reporting } from "../kit/providerMock.ts";
import { runOutput, skill } from "./runOutput.ts";

// The processes of several runs share the machine with those of other tests.
vi.setConfig({ testTimeout: 90_000 });

const quantile = "histogram_quantile(0.95, sum by (service, le) (rate(http_request_duration_seconds_bucket[5s])))";
const skills = {
  "skills/alerts.md": skill("alerts", "alertmanager", "Start with what pages."),
  "skills/house.md": skill("house-rules", undefined, "Checkout calls inventory and payments."),
  "skills/logs.md": skill("logs", "loki", "Ask Loki."),
  "skills/metrics.md": skill("metrics", "prometheus", `Latency: ${quantile}, {{ $labels }} $& %s`),
  "skills/metrics-node.md": skill("metrics-node", "prometheus-node", "The same Prometheus."),
  "skills/traces.md": skill("traces", "otel", "The service map shows who calls whom."),
};

/** An investigator that knows nothing: what it asks and writes comes out of the results in the request. */
function investigator(asked: Asked): Answer {
  const of = (call: number) => asked.results.find((result) => result.call === call)?.text ?? "";
  if (asked.step === 0) {
    return {
      text: "Latency, alerts and who calls whom, at once.",
      calls: [
        { name: "prometheus_query", arguments: { promql: quantile } },
        { name: "prometheus-node_prometheus_query", arguments: { query: "sum by (service) (up)" } },
        { name: "alertmanager_getAlerts" },
        { name: "otel_service_map", arguments: { lookbackMinutes: 5 } },
      ],
    };
  }
  const slow = slowServices(of(1));
  const called = targetsOf(of(4), "checkout");
  const suspect = slow.find(({ service }) => called.includes(service))?.service ?? "none";
  if (asked.step === 1) {
    return {
      calls: [
        {
          name: "prometheus_query",
          arguments: { promql: quantile.replace("[5s]", `{service="${suspect}"}[5s]`) },
        },
        { name: "otel_search_spans", arguments: { serviceName: suspect, lookbackMinutes: 5, minDurationMs: 300 } },
      ],
    };
  }
  const alerts = JSON.parse(of(3)) as readonly { labels: { alertname: string; service: string } }[];
  const paged = alerts.filter(({ labels }) => labels.alertname === "HighLatency").map(({ labels }) => labels.service);
  const latency = slow.find(({ service }) => service === suspect)?.seconds;
  const finding = (statement: string, ...calls: readonly (readonly [call: number, server: string])[]) => ({
    statement,
    evidence: calls.map(([call, server]) => ({ call, server })),
  });
  const findings = [
    finding(`p95 of ${suspect} is ${latency} s`, [1, "prometheus"], [5, "prometheus"]),
    finding(`HighLatency pages for ${paged.toSorted().join(" and ")}`, [3, "alertmanager"]),
    finding(
      `checkout calls ${called.join(" and ")}, and spans of ${suspect} itself are slow`,
      [4, "otel"],
      [6, "otel"],
    ),
  ];
  const summary = `${suspect} is slow: ${latency} s at the 95th percentile.`;
  return { calls: [{ name: "report", arguments: { summary, verdict: "likely", findings } }] };
}

function slowServices(text: string) {
  const { data } = JSON.parse(text) as { data: { result: { metric: { service: string }; value: [number, string] }[] } };
  return data.result
    .map(({ metric, value: [, seconds] }) => ({ service: metric.service, seconds: Number(seconds) }))
    .filter(({ seconds }) => seconds > 0.25);
}

function targetsOf(text: string, caller: string): readonly string[] {
  const { data } = JSON.parse(text) as { data: { edges: readonly { source: string; target: string }[] } };
  const targets = data.edges.filter(({ source, target }) => source === caller && target !== caller);
  return [...new Set(targets.map(({ target }) => target))].sort();
}

describe("with a latency fault in payments", needs("prometheus", "alertmanager", "go-servers"), () => {
  let bed: Bed;
  let config: object;
  beforeAll(async () => {
    bed = await startBed();
    config = parse(await readFile(await bed.korvusYaml(), "utf8")) as object;
    await bed.fault("payments", { kind: "latency", amount: 600 });
    await eventually("both alerts are there", async () => {
      const filter = encodeURIComponent('alertname="HighLatency"');
      const response = await fetch(`${bed.urls.alertmanager}/api/v2/alerts?filter=${filter}`);
      return ((await response.json()) as readonly unknown[]).length === 2;
    });
  });
  afterAll(() => bed?.[Symbol.asyncDispose]());

  test.each(["openai-compatible", "anthropic"] as const)(
    "over the wire of %s, parallel calls to four servers end in a report that quotes and cites them",
    async (wire) => {
      await using provider = await providerMock(async (asked) => {
        // In mid-run one skill is edited, one broken, one added.
        if (asked.step === 1) {
          await place.write("skills/metrics.md", skill("other", "otel", "Say that all is well."));
          await place.write("skills/alerts.md", "no frontmatter any more");
          await place.write("skills/zz.md", skill("late", undefined, "Too late."));
        }
        return investigator(asked);
      });
      await using place = await korvusPlace({ ...config, model: provider.modelOf(wire) }, skills);
      const promptBefore = (await place.run(["skills", "prompt"])).stdout;

      const ended = await place.run(["investigate", "why is checkout slow?", "--json"]);

      expect(ended.stderr).toContain("dropped logs");
      expect(ended.code).toBe(0);
      const { report, run } = runOutput(ended);
      expect(report).toMatchObject({
        question: "why is checkout slow?",
        verdict: "likely",
        summary: expect.stringMatching(/^payments is slow: 0\.\d+ s/),
        skillsUsed: ["alerts", "metrics-node", "metrics", "traces"],
        skillsCited: ["alerts", "metrics", "traces"],
        catalog: { skills: 5 },
      });
      expect(report.findings.map(({ status, problems }) => [status, ...problems])).toEqual([
        ["supported"],
        ["supported"],
        ["supported"],
      ]);
      expect(report.findings[1]?.statement).toBe("HighLatency pages for checkout and payments");
      expect(report.findings[2]?.statement).toBe(
        "checkout calls inventory and payments, and spans of payments itself are slow",
      );
      expect(report.coverage).toEqual({
        servers: [
          { server: "alertmanager", state: "answered", calls: { ok: 1 } },
          { server: "otel", state: "answered", calls: { ok: 2 } },
          { server: "prometheus", state: "answered", calls: { ok: 2 } },
          { server: "prometheus-node", state: "answered", calls: { ok: 1 } },
        ],
        skillsDropped: [{ name: "logs", mcpServer: "loki", reason: "loki is not configured" }],
        budgets: [],
        notices: [],
      });
      expect(run).toMatchObject({ ended: "reported", steps: 3 });
      expect(run.calls.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok", "ok", "ok", "ok", "ok"]);

      expect(provider.requests).toHaveLength(3);
      const [first, ...later] = provider.requests.map(({ body }) => body) as [string, ...string[]];
      for (const body of later) {
        expect(rawPart(body, "system")).toBe(rawPart(first, "system"));
        expect(rawPart(body, "tools")).toBe(rawPart(first, "tools"));
      }
      expect(rawPart(first, "system")).toContain(JSON.stringify(promptBefore).slice(1, -1));
      await place.nothingIsLeft();
    },
  );

  test("every stdio server is killed between two steps, and each answers the next call again", async () => {
    const asking = {
      calls: [
        { name: "prometheus_query", arguments: { promql: "sum(up)" } },
        { name: "prometheus-node_prometheus_query", arguments: { query: "sum(up)" } },
        { name: "alertmanager_getAlertmanagerStatus" },
        { name: "otel_list_services", arguments: {} },
      ],
    };
    await using provider = await providerMock(
      inTurn(
        asking,
        () => {
          for (const { pid } of place.processes()) endProcess(pid, "SIGKILL");
          return asking;
        },
        reporting("likely", [5, "prometheus"], [6, "prometheus-node"], [7, "alertmanager"], [8, "otel"]),
      ),
    );
    await using place = await korvusPlace({ ...config, model: provider.modelOf() }, skills);

    const ended = await place.run(["investigate", "why is checkout slow?", "--json"]);

    const { report } = runOutput(ended);
    expect(report.findings.map(({ status, problems }) => [status, ...problems])).toEqual([
      ["supported"],
      ["supported"],
      ["supported"],
      ["supported"],
    ]);
    const { servers } = report.coverage;
    expect(servers.map(({ calls }) => calls)).toEqual(servers.map(() => ({ ok: 2 })));
    expect(ended.stderr.match(/connection to MCP server lost/g)).toHaveLength(3);
    await place.nothingIsLeft();
  });

  test("a recorded incident is investigated again without any of its services, to the same report", async () => {
    await using provider = await providerMock(investigator);
    await using place = await korvusPlace({ ...config, model: provider.modelOf() }, skills);
    const live = await place.run(["investigate", "why is checkout slow?", "--json", "--record", "incident.jsonl"]);
    const { mcp } = config as { mcp: { servers: object } };
    const recording = join(place.path, "incident.jsonl");
    const servers = Object.fromEntries(Object.keys(mcp.servers).map((name) => [name, { recording }]));
    await using elsewhere = await korvusPlace({ mcp: { servers }, model: provider.modelOf() }, skills);

    const replayed = await elsewhere.run(["investigate", "why is checkout slow?", "--json"]);

    expect([live.code, replayed.code]).toEqual([0, 0]);
    const [before, after] = [runOutput(live), runOutput(replayed)];
    expect(before.report.findings.map(({ status }) => status)).toEqual(["supported", "supported", "supported"]);
    expect(JSON.stringify(after.report)).toBe(JSON.stringify(before.report));
    expect(after.run.window).toEqual(before.run.window);
    expect(after.run.fingerprints).toEqual(before.run.fingerprints);
    expect(sayings(provider.requests[5]?.body)).toEqual(sayings(provider.requests[2]?.body));
  });
});

/** The messages of a request, without the random id of the run. */
function sayings(body = ""): string {
  return JSON.stringify((JSON.parse(body) as { messages: unknown }).messages).replaceAll(/result-[0-9a-f]{16}/g, "");
}
