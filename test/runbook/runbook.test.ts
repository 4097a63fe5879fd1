import { describe, expect, test } from "vitest";
import { parse } from "../../src/skill/skill.ts";
import { drive, matrix, promql, skillOf, window } from "./drive.ts";

const latency = promql("Latency p95 by service", "histogram_quantile(0.95, x)", "unit=seconds expect=high");
const errors = promql("Error ratio by service", "errors / requests", "unit=ratio expect=high");
const noise = (minute: number) => 0.001 * ((minute * 7) % 5);
const steady = (value: number) => (minute: number) => value + noise(minute);
const rising =
  (before: number, after: number, at = 40) =>
  (minute: number) =>
    (minute < at ? before : after) + noise(minute);

/** The tools by which the preset of mcp-prometheus is known. */
function prometheus(answer: (query: string) => string | Error | undefined) {
  return {
    query: ({ promql }: { promql?: unknown }) => answer(String(promql)),
    queryRange: () => new Error("not asked"),
  };
}

test("one service that slows down is named with values, onset and the call that shows it", async () => {
  const answer = matrix({ payments: rising(0.024, 0.631), inventory: steady(0.01) });

  const { claim, calls } = await drive({
    skills: [skillOf("prometheus", latency)],
    servers: { prometheus: prometheus(() => answer) },
  });

  expect(calls).toEqual([
    {
      server: "prometheus",
      tool: "query",
      args: { promql: `(histogram_quantile(0.95, x))[3600s:10s] @ ${window.to / 1000}` },
    },
  ]);
  expect(claim.verdict).toBe("likely");
  expect(claim.summary).toContain("payments");
  expect(claim.summary).toContain("14:10:00");
  expect(claim.findings[0]?.statement).toMatch(/^payments: latency p95 2\d(\.\d)? ms → 63\d ms at 14:10:00 {2}▁+█+/);
  expect(claim.findings[0]?.evidence).toEqual([{ call: 1, server: "prometheus" }]);
});

test("nothing that departed is inconclusive, and how much was compared is said", async () => {
  const { claim } = await drive({
    skills: [skillOf("prometheus", latency, errors)],
    servers: { prometheus: prometheus(() => matrix({ payments: steady(0.02), checkout: steady(0.05) })) },
  });

  expect(claim.verdict).toBe("inconclusive");
  expect(claim.summary).toMatch(/^Nothing departed from its baseline between 14:00:00 and 14:30:00 UTC: 4 series/);
  expect(claim.findings[0]?.evidence.map(({ call }) => call)).toEqual([1, 2]);
});

test("two that changed alike, without traces, are a tie, and that is said", async () => {
  const { claim } = await drive({
    skills: [skillOf("prometheus", errors)],
    servers: { prometheus: prometheus(() => matrix({ payments: rising(0, 0.4), checkout: rising(0, 0.4) })) },
  });

  expect(claim.verdict).toBe("inconclusive");
  expect(claim.summary).toContain("cannot be told apart");
  expect(claim.limits.join(" ")).toContain("No traces were read");
});

test("equal queries of two skills are one call", async () => {
  const { calls } = await drive({
    skills: [skillOf("prometheus", latency, latency), skillOf("prometheus", latency)],
    servers: { prometheus: prometheus(() => matrix({ payments: steady(1) })) },
  });

  expect(calls).toHaveLength(1);
});

test("blocks of a skill without a server do not run, and that is said", async () => {
  const { claim, calls } = await drive({
    skills: [skillOf(undefined, latency, errors), skillOf("prometheus", latency)],
    servers: { prometheus: prometheus(() => matrix({ payments: steady(1) })) },
  });

  expect(calls).toHaveLength(1);
  expect(claim.limits).toContain("Not run: 2 query blocks of generic-skill, which names no mcp_server.");
});

describe("what goes wrong is said, and the report comes all the same:", () => {
  test("a tool that is denied", async () => {
    const { claim } = await drive({
      skills: [skillOf("prometheus", latency)],
      servers: { prometheus: prometheus(() => undefined) },
    });

    expect(claim).toMatchObject({ verdict: "inconclusive", findings: [] });
    expect(claim.limits.join("\n")).toMatch(/Not asked: Latency p95 by service\. prometheus's query was not called/);
  });

  test("a query that fails beside one that does not", async () => {
    const { claim } = await drive({
      skills: [skillOf("prometheus", latency, errors)],
      servers: {
        prometheus: prometheus((query) =>
          query.includes("errors") ? new Error("bad_data: parse error") : matrix({ payments: rising(0.02, 0.6) }),
        ),
      },
    });

    expect(claim.verdict).toBe("likely");
    expect(claim.limits).toContain("Failed on prometheus: Error ratio by service: bad_data: parse error");
  });

  test("empty answers everywhere", async () => {
    const { claim } = await drive({
      skills: [skillOf("prometheus", latency)],
      servers: { prometheus: prometheus(() => matrix({})) },
    });

    expect(claim.verdict).toBe("inconclusive");
    expect(claim.summary).toMatch(/^No data of the time between 14:00:00 and 14:30:00 UTC was found/);
    expect(claim.limits).toContain("Empty on prometheus: Latency p95 by service.");
  });

  test("a clock that is an hour off", async () => {
    const late = matrix({ payments: rising(0.02, 0.6) }).replaceAll(
      /\[(\d{10})/g,
      (_, t: string) => `[${Number(t) - 7200}`,
    );

    const { claim } = await drive({
      skills: [skillOf("prometheus", latency)],
      servers: { prometheus: prometheus(() => late) },
    });

    expect(claim.verdict).toBe("inconclusive");
    expect(claim.summary).toMatch(/^No data of the time/);
    expect(claim.limits.join("\n")).toContain("the newest 2026-11-30T12:30:00.000Z: check the clocks");
  });

  test("prose where numbers were expected", async () => {
    const { claim } = await drive({
      skills: [skillOf("prometheus", latency)],
      servers: { prometheus: prometheus(() => "I could not find out, sorry.") },
    });

    expect(claim.limits.join("\n")).toContain("Not understood on prometheus: Latency p95 by service");
  });

  test("a language that no tool of the server takes", async () => {
    const { claim, calls } = await drive({
      skills: [skillOf("prometheus", '```logql title="Errors"\n{a="b"}\n```')],
      servers: { prometheus: prometheus(() => matrix({})) },
    });

    expect(calls).toEqual([]);
    expect(claim.limits.join("\n")).toContain("no tool of prometheus is known to take this logql");
  });
});

describe("holes", () => {
  const block = promql("Errors of one service", 'rate(errors{service="$service"}[5m])', "expect=high");
  const label = JSON.stringify({
    data: { result: ["a", "b"].map((service) => ({ metric: { service }, value: [1, "1"] })) },
  });

  test("are filled from the values that the server knows, each a call", async () => {
    const { calls } = await drive({
      skills: [skillOf("prometheus", block)],
      servers: {
        prometheus: prometheus((query) => (query.startsWith("group by (service)") ? label : matrix({ a: steady(1) }))),
      },
    });

    const asked = calls.map(({ args }) => JSON.stringify(args)).filter((query) => query.includes("errors{"));
    expect(asked.map((query) => /service=\\"(\w+)\\"/.exec(query)?.[1])).toEqual(["a", "b"]);
  });

  test("are filled from what was set, and nothing is discovered then", async () => {
    const { calls } = await drive({
      skills: [skillOf("prometheus", block)],
      servers: { prometheus: prometheus(() => matrix({ a: steady(1) })) },
      options: { set: { service: "checkout" } },
    });

    expect(calls).toHaveLength(1);
    expect(calls[0]?.args["promql"]).toContain('service="checkout"');
  });

  test("are bounded, and what is left out is said", async () => {
    const many = JSON.stringify({
      data: {
        result: Array.from({ length: 40 }, (_, index) => ({ metric: { service: `s${index}` }, value: [1, "1"] })),
      },
    });

    const { calls, claim } = await drive({
      skills: [skillOf("prometheus", block)],
      servers: { prometheus: prometheus((query) => (query.startsWith("group by") ? many : matrix({ a: steady(1) }))) },
    });

    expect(calls.filter(({ args }) => JSON.stringify(args).includes("errors{"))).toHaveLength(10);
    expect(claim.limits.join("\n")).toContain("ran for 10 values; 30 more were left out");
  });

  test("without a value keep their block from running, and that is said", async () => {
    const { claim } = await drive({
      skills: [skillOf("prometheus", promql("Odd", "rate(x[$odd])"))],
      servers: { prometheus: prometheus(() => matrix({})) },
    });

    expect(claim.limits.join("\n")).toContain("no value for $odd; give one with --set");
  });
});

test("data that begin shortly before now are asked for once more, finer, and their first third is the baseline", async () => {
  const began = window.to - 5 * 60_000;
  const answer = (query: string) => {
    const [, seconds, step] = /\[(\d+)s:(\d+)s\] @ /.exec(query)?.map(Number) ?? [];
    const times = Array.from(
      { length: (seconds ?? 0) / (step ?? 1) },
      (_, index) => window.to - index * (step ?? 1) * 1000,
    );
    const values = times
      .reverse()
      .flatMap((t) => (t < began ? [] : [[t / 1000, t < window.to - 60_000 ? "0.02" : "0.7"]]));
    return JSON.stringify({ data: { result: [{ metric: { service: "payments" }, values }] } });
  };

  const { claim, calls } = await drive({
    skills: [skillOf("prometheus", latency)],
    servers: { prometheus: prometheus(answer) },
  });

  expect(calls.map(({ args }) => /\[.*\]/.exec(JSON.stringify(args))?.[0])).toEqual(["[3600s:10s]", "[300s:1s]"]);
  expect(claim.verdict).toBe("likely");
  expect(claim.summary).toContain("payments: latency p95 rose from 20 ms to 700 ms at 14:29:00 UTC");
  expect(claim.limits).toContain("No data before 14:25:00: the time until 14:26:40 was taken as the baseline.");
});

test("a departure whose labels name no service is told all the same", async () => {
  const answer = matrix({ "": rising(0, 0.3) });

  const { claim } = await drive({
    skills: [skillOf("prometheus", errors)],
    servers: { prometheus: prometheus(() => answer) },
  });

  expect(claim).toMatchObject({ verdict: "inconclusive" });
  expect(claim.summary).toMatch(/^Error ratio rose from 0.* to 30.* at 14:10:00 UTC; no label names the service\./);
  expect(claim.findings[0]?.statement).toMatch(/^error ratio /);
});

test("gaps, births and values that are no numbers are counted in what is said", async () => {
  const holed = matrix({
    a: (minute) => (minute % 4 < 2 ? 0.1 : undefined),
    b: (minute) => (minute > 45 ? 0.1 : undefined),
    c: (minute) => (minute < 50 ? 0.1 : Number.NaN),
  });

  const { claim } = await drive({
    skills: [skillOf("prometheus", latency)],
    servers: { prometheus: prometheus(() => holed) },
  });

  expect(claim.verdict).toBe("inconclusive");
  expect(claim.limits).toContain(
    "Of 3 series: 1 born in the window, 1 ended in the window, 1 with gaps, 1 with values that are no numbers.",
  );
});

test("traces that a search only names are fetched, and own time decides", async () => {
  const ids = new Map<string, number>();
  const search = ({ start }: { start?: unknown }) => {
    const began = Date.parse(String(start));
    const traces = [1, 2, 3, 4].map((index) => {
      const id = `${began}${index}`;
      ids.set(id, began + index * 1000);
      return {
        traceID: id,
        rootServiceName: "checkout",
        startTimeUnixNano: `${began + index * 1000}000000`,
        durationMs: 9,
      };
    });
    return JSON.stringify({ traces });
  };
  const trace = ({ trace_id: id }: { trace_id?: unknown }) => {
    const start = ids.get(String(id)) ?? 0;
    const own = start < window.from ? 20 : 600;
    const span = (name: string, ms: number, parentSpanId?: string) => ({
      traceId: "AA==",
      spanId: name,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      name,
      startTimeUnixNano: `${start}000000`,
      endTimeUnixNano: `${start + ms}000000`,
    });
    const batch = (service: string, spans: readonly object[]) => ({
      resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
      scopeSpans: [{ spans: spans.map((one) => ({ ...one, traceId: String(id) })) }],
    });
    return JSON.stringify({
      batches: [batch("checkout", [span("root", own + 10)]), batch("payments", [span("charge", own, "root")])],
    });
  };

  const { claim, calls } = await drive({
    skills: ["---\nname: traces\nmcp_server: tempo\n---\nNothing to run."],
    servers: { tempo: { "traceql-search": search, "get-trace": trace } },
  });

  expect(calls.filter(({ tool }) => tool === "get-trace")).toHaveLength(27);
  expect(claim.verdict).toBe("likely");
  expect(claim.summary).toMatch(/^payments slowed down at 14:0.*; checkout only passes it on\./);
});

test("without a query to run, the report says that nothing was asked", async () => {
  const { claim, calls } = await drive({ skills: [skillOf(undefined, latency)], servers: {} });

  expect(calls).toEqual([]);
  expect(claim).toMatchObject({ verdict: "inconclusive", findings: [] });
  expect(claim.summary).toMatch(/^Nothing was asked/);
  expect(claim.limits).toContain("No loaded skill holds a query for a connected server.");
});

test("tools that are not offered by themselves are reached through call_tool", async () => {
  const { runbookModel } = await import("../../src/runbook/runbookModel.ts");
  const tools = ["query", "queryRange"].map((name) => ({ name, inputSchema: {} }));
  const model = runbookModel({
    catalog: { skills: [parse(skillOf("prometheus", latency))] },
    tools: new Map([["prometheus", tools]]),
    window,
    now: window.to,
  });
  const input = { system: "", messages: [], tools: [], toolChoice: "auto" } as never;

  const events = await Array.fromAsync(model.step(input, AbortSignal.timeout(5000)));

  expect(events).toMatchObject([
    { type: "answered", parts: [{ name: "call_tool", arguments: { server: "prometheus", tool: "query" } }] },
  ]);
});

test("ten thousand series are ranked in seconds", async () => {
  const services = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`s${index}`, index === 4711 ? rising(0.02, 0.9) : steady(0.02)]),
  );
  const began = performance.now();

  const { claim } = await drive({
    skills: [skillOf("prometheus", latency)],
    servers: { prometheus: prometheus(() => matrix(services, 60)) },
  });

  expect(claim.summary).toMatch(/^s4711: latency p95 rose/);
  expect(performance.now() - began).toBeLessThan(15_000);
});

test("very many blocks are asked a hundred a step, and a report of a thousand suspects stays short", async () => {
  const blocks = Array.from({ length: 150 }, (_, index) => promql(`Errors ${index}`, `errors${index}`, "expect=high"));
  const services = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`s${index}`, rising(0, 50)]));
  const answer = matrix(services, 240);

  const { claim, calls, steps } = await drive({
    skills: [skillOf("prometheus", ...blocks)],
    servers: { prometheus: prometheus((query) => (query.includes("errors7)") ? answer : matrix({}))) },
  });

  expect([calls.length, steps]).toEqual([150, 3]);
  expect(claim.summary).toMatch(/and 993 more all changed/);
  expect(JSON.stringify(claim).length).toBeLessThan(20_000);
});
