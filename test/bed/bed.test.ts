import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { eventually } from "../kit/eventually.ts";
import { needs } from "../kit/needs.ts";
import { startProcess } from "../kit/startProcess.ts";
import { seededRandom } from "./random.ts";
import { type Bed, startBed } from "./startBed.ts";

const here = import.meta.dirname;

describe("the bed, with payments under another name", needs("prometheus", "alertmanager"), () => {
  let bed: Bed;
  beforeAll(async () => {
    bed = await startBed({ names: { payments: "billing" } });
  });
  afterAll(() => bed?.[Symbol.asyncDispose]());

  test("traces and logs of one request join all three services in autotel", async () => {
    const client = new Client({ name: "bed-test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(bed.urls.otel)));
    const ask = async (name: string) => {
      const result = await client.callTool({ name, arguments: { lookbackMinutes: 5 } });
      const [block] = result.content;
      return block?.type === "text" ? block.text.replaceAll(/[\s"]/g, "") : "";
    };

    await eventually("the service map has both calls", async () => {
      const map = await ask("service_map");
      return map.includes("source:checkout,target:billing") && map.includes("source:checkout,target:inventory");
    });
    await eventually("a log line has arrived", async () => (await ask("search_logs")).includes("body:/chargedone"));
    await client.close();
  });

  test("a latency fault shows in Prometheus, pages for the service and its caller, and ends", async () => {
    const quantile = "histogram_quantile(0.95, sum by (service, le) (rate(http_request_duration_seconds_bucket[5s])))";
    expect(await query(bed, `${quantile} > 0.25`)).toEqual([]);

    await bed.fault("payments", { kind: "latency", amount: 600 });

    await eventually("two services are slow", async () => {
      return (await query(bed, `${quantile} > 0.25`)).sort().join() === "billing,checkout";
    });
    await eventually("the alert fires", async () => {
      const filter = encodeURIComponent('alertname="HighLatency"');
      const response = await fetch(`${bed.urls.alertmanager}/api/v2/alerts?filter=${filter}`);
      const alerts = (await response.json()) as readonly { labels: { service: string } }[];
      const paged = alerts.map(({ labels }) => labels.service).sort();
      return paged.join() === "billing,checkout";
    });

    await bed.heal();
    await eventually("nobody is slow", async () => (await query(bed, `${quantile} > 0.25`)).length === 0, 20_000);
  });

  test.each([
    { fault: { kind: "errors", amount: 0.5 }, alert: "HighErrorRate" },
    { fault: { kind: "pool", amount: 10 }, alert: "PoolSaturation" },
    { fault: { kind: "memory", amount: 10 }, alert: "MemoryGrowth" },
  ] as const)("$fault.kind in inventory is seen by $alert", async ({ fault, alert }) => {
    await bed.fault("inventory", fault);

    await eventually("the alert fires", async () => {
      return (await query(bed, `ALERTS{alertname="${alert}", alertstate="firing"}`)).includes("inventory");
    });
    await bed.heal("inventory");
  });

  test("a fault that makes no sense is refused", async () => {
    await expect(bed.fault("payments", { kind: "errors", amount: 40 })).rejects.toThrow("400");
  });

  test("the korvus.yaml names the servers that were asked for", async () => {
    const path = await bed.korvusYaml({ servers: ["prometheus-node", "otel"] });

    expect(parse(await readFile(path, "utf8"))).toEqual({
      mcp: {
        servers: {
          "prometheus-node": expect.objectContaining({ env: { PROMETHEUS_URL: bed.urls.prometheus } }),
          otel: { url: bed.urls.otel },
        },
      },
    });
  });
});

test("start.ts ends all of it at Ctrl-C", needs("prometheus", "alertmanager"), async () => {
  await using start = startProcess(process.execPath, [join(here, "start.ts")]);
  await start.until(/Ctrl-C ends all of it/);
  const urls = start.output().match(/http:\/\/127\.0\.0\.1:\d+/g) ?? [];

  process.kill(start.pid, "SIGINT");

  expect(await start.exited).toBe(0);
  expect(new Set(urls).size).toBe(6);
  const answers = await Promise.allSettled([...new Set(urls)].map((url) => fetch(url)));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill("rejected"));
});

test("a start that fails half-way leaves no child behind", async () => {
  const script = `
    import { startBed } from ${JSON.stringify(join(here, "startBed.ts"))};
    await startBed().catch((error) => console.log("refused:", error.message));
  `;
  await using run = startProcess(process.execPath, ["--input-type=module", "-e", script], {
    env: { PATH: "/nowhere" },
  });

  // It ends by itself only when no child is left to wait for.
  expect(await run.exited).toBe(0);
  expect(run.output()).toMatch(/refused: .*ENOENT/);
});

test("the load ends by itself, after a count or after a time", async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end();
  }).listen(0, "127.0.0.1");
  await eventually("it listens", () => server.listening);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const load = (bounds: object) =>
    startProcess(process.execPath, [join(here, "load.ts"), JSON.stringify({ url, seed: 1, rate: 100, ...bounds })]);

  await using counted = load({ count: 7, seconds: 60 });
  await counted.exited;
  const afterCount = requests;
  await using timed = load({ count: 1e6, seconds: 0.5 });
  await timed.exited;
  server.close();

  expect(afterCount).toBe(7);
  expect(requests).toBeLessThan(7 + 200);
});

test("one seed gives one sequence to each part", () => {
  const take = (seed: number, name: string) => seededRandom(seed, name).hex(32);

  expect(take(1, "checkout")).toBe(take(1, "checkout"));
  expect(new Set([take(1, "checkout"), take(2, "checkout"), take(1, "payments")]).size).toBe(3);
});

/** The services for which `expression` gives a sample now. */
async function query(bed: Bed, expression: string): Promise<string[]> {
  const response = await fetch(`${bed.urls.prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`);
  const { data } = (await response.json()) as { data: { result: readonly { metric: { service?: string } }[] } };
  return data.result.map(({ metric }) => metric.service ?? "");
}
