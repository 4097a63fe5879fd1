import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PlannedCall } from "../../src/preset/preset.ts";
import { presetFor, queryToolFor } from "../../src/preset/presets.ts";
import { rangeCall } from "../../src/preset/rangeCall.ts";
import type { Block } from "../../src/query/block.ts";
import { fillArguments, fillHoles } from "../../src/query/fillHoles.ts";
import { timeValues } from "../../src/query/timeHoles.ts";
import { isEmpty } from "../../src/result/isEmpty.ts";
import type { ToolResult } from "../../src/result/toolResult.ts";
import { type Bed, startBed } from "../bed/startBed.ts";
import { eventually } from "../kit/eventually.ts";
import { needs } from "../kit/needs.ts";
import { thirdParty } from "../kit/thirdParty.ts";
import { http, reading, stdio, type TestRegistry, textOf, withRegistry } from "../mcp/withRegistry.ts";
import { type servers, shippedBlocks } from "./shipped.ts";

const second = 1000;

describe("the shipped skills on the bed", needs("prometheus", "alertmanager", "go-servers"), () => {
  let bed: Bed;
  let connected: TestRegistry;
  beforeAll(async () => {
    bed = await startBed({ names: { payments: "billing" } });
    const { prometheus, alertmanager, otel } = bed.urls;
    const env = { PROMETHEUS_URL: prometheus };
    connected = await withRegistry([
      stdio("prometheus", thirdParty.prometheusGo, { env }),
      stdio("prometheus-node", thirdParty.prometheusNode, { env }),
      stdio("alertmanager", thirdParty.alertmanagerGo, { env: { ALERTMANAGER_URL: alertmanager } }),
      http("otel", otel),
    ]);
    await bed.fault("payments", { kind: "errors", amount: 0.5 });
    await eventually("the alert fires", async () => {
      const result = await call("alertmanager", { tool: "getAlerts", arguments: {} });
      return JSON.stringify(result).includes("HighErrorRate");
    });
  });
  afterAll(async () => {
    await connected?.[Symbol.asyncDispose]();
    await bed?.[Symbol.asyncDispose]();
  });

  /** Fails where the tool does, and where it only says so in its answer. */
  async function call(server: string, { tool, arguments: args }: Pick<PlannedCall, "tool" | "arguments">) {
    const outcome = await connected.registry.call(server, tool, args, reading);
    if (outcome.outcome !== "ok") throw new Error(JSON.stringify(outcome));
    if (/"ok":\s*false/.test(textOf(outcome))) throw new Error(textOf(outcome));
    return outcome.result;
  }

  /** What each block of a skill gives on a server: titles of those with an answer, and of those without. */
  async function run(skill: keyof typeof servers, server: string) {
    const now = Date.now();
    const range = { from: now - 20 * second, to: now, step: second, now };
    const blocks = await shippedBlocks(skill);
    const results = await Promise.all(
      blocks.map(async (block) => ({ block, result: await call(server, planned(block, server, range)) })),
    );
    const titles = (wanted: boolean) =>
      results.filter(({ result }) => isEmpty(result) === wanted).map(({ block }) => block.title);
    return { answered: titles(false), empty: titles(true), results };
  }

  function planned(block: Block, server: string, range: Parameters<typeof rangeCall>[2]) {
    const values = timeValues({ ...range, scrapeInterval: second });
    const filled = block.kind === "mcp" ? fillArguments(block.arguments, values) : fillHoles(block.text, values);
    if (filled.kind !== "filled") throw new Error(`${block.title}: ${JSON.stringify(filled)}`);
    if (block.kind === "mcp")
      return { tool: block.tool, arguments: filled.value as object as PlannedCall["arguments"] };
    const names = connected.registry
      .tools()
      .filter((tool) => tool.server === server)
      .map(({ tool }) => tool.name);
    const preset = presetFor(names);
    const tool = preset && queryToolFor(preset, block, names);
    if (!tool) throw new Error(`${server} takes no ${block.language}`);
    return rangeCall(tool, filled.value as string, range);
  }

  test.each(["prometheus", "prometheus-node"])("every PromQL query is answered through %s", async (server) => {
    const { answered, empty, results } = await run("prometheus", server);

    expect(empty).toEqual([]);
    expect(answered).toHaveLength(9);
    const ratio = results.find(({ block }) => block.title === "Error ratio by service")?.result as ToolResult;
    for (const service of ["checkout", "inventory", "billing"])
      expect(textOf({ result: ratio })).toMatch(new RegExp(`"service":\\s*"${service}"`));
  });

  test("alerts are there, and a silence is not", async () => {
    const { answered, empty } = await run("alertmanager", "alertmanager");

    expect(answered).toEqual(["Alerts firing"]);
    expect(empty).toEqual(["Silences in force"]);
  });

  test("traces, failures and logs are there", async () => {
    const { empty, results } = await run("otel", "otel");

    expect(empty).toEqual([]);
    for (const { result } of results) expect(textOf({ result })).toContain("billing");
  });
});
