import { afterAll, beforeAll, expect, test } from "vitest";
import { drain, probeRun, reportCall, reportOf } from "../../test/kit/probeRun.ts";
import type { Message, StepInput } from "../model/model.ts";
import type { ScriptedAnswer } from "../model/scriptedModel.ts";
import { memoryEventLog } from "./eventLog.ts";
import type { RunEvent } from "./events.ts";
import { runLoop } from "./loop.ts";
import { type Policy, rulesPolicy } from "./policy.ts";
import type { RunContext } from "./runContext.ts";

let probe: Awaited<ReturnType<typeof probeRun>>;
beforeAll(async () => {
  probe = await probeRun();
});
afterAll(() => probe[Symbol.asyncDispose]());

const echo = (text: string) => ({ name: "probe_echo", arguments: { text } });
const never = new AbortController().signal;

async function runScript(steps: readonly ScriptedAnswer[], overrides: Partial<RunContext> = {}) {
  const seen: StepInput[] = [];
  const context = probe.context((input, step) => {
    seen.push(input);
    return steps[step] ?? { failed: "invalid-request", message: `the script has no step ${step}` };
  }, overrides);
  const events = await drain(runLoop(context, never));
  return { events, seen, report: reportOf(events), ended: events.at(-1) };
}

function toolTexts(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => (message.role === "tool" ? message.results.map(({ text }) => text) : []));
}

function of<T extends RunEvent["type"]>(events: readonly RunEvent[], type: T) {
  return events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
}

test("a run calls real tools and ends in a report whose findings are checked", async () => {
  const { events, report, ended } = await runScript([
    { text: "Looking.", calls: [echo("p95 is 631 ms")], usage: { input: 100, output: 10 } },
    { calls: [reportCall("confirmed", [1, "probe"])] },
  ]);

  expect(report).toMatchObject({
    verdict: "confirmed",
    skillsUsed: ["probe-skill"],
    skillsCited: ["probe-skill"],
    nextSteps: ["look at payments"],
  });
  expect(report.findings[0]).toMatchObject({ status: "supported" });
  expect(report.coverage.servers).toEqual([{ server: "probe", state: "answered", calls: { ok: 1 } }]);
  expect(ended).toMatchObject({ type: "run.ended", reason: "reported" });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
});

test("an invented citation makes the finding unsupported and caps the verdict", async () => {
  const { report } = await runScript([
    { calls: [echo("x")] },
    { calls: [reportCall("confirmed", [1, "probe"], [7, "probe"])] },
  ]);

  expect(report.verdict).toBe("likely");
  expect(report.findings.map(({ status, problems }) => [status, ...problems])).toEqual([
    ["supported"],
    ["unsupported", "call 7 was never made"],
  ]);
});

test("a call that is made along with the report proves nothing, since nobody has read its result", async () => {
  const { report } = await runScript([{ calls: [echo("guessed"), reportCall("confirmed", [1, "probe"])] }]);

  expect(report.verdict).toBe("inconclusive");
  expect(report.findings[0]?.problems).toEqual([
    "call 1 was made along with the report, before its result could be read",
  ]);
  expect(report.coverage.servers[0]).toMatchObject({ state: "answered" });
});

test("parallel calls give their results in call order, whichever ends first", async () => {
  const slow = { name: "probe_slow", arguments: { ms: 300 } };
  const { events, seen } = await runScript([
    { calls: [slow, echo("fast")] },
    { calls: [reportCall("likely", [1, "probe"])] },
  ]);

  expect(of(events, "call.finished").map(({ number }) => number)).toEqual([2, 1, 3]);
  const texts = toolTexts(seen[1]?.messages ?? []);
  expect(texts).toHaveLength(2);
  expect(texts[0]).toContain("waited 300");
  expect(texts[1]).toContain("fast");
});

test("failing, empty, unknown and broken calls are results that the model reads", async () => {
  const { seen, report, events } = await runScript([
    {
      calls: [
        { name: "probe_fail" },
        { name: "probe_empty" },
        { name: "probe_invented", arguments: { a: 1 } },
        { name: "probe_echo", arguments: "{broken" },
      ],
    },
    { calls: [reportCall("confirmed", [1, "probe"], [2, "probe"], [3, "probe"])] },
  ]);

  const [failed, empty, invented, broken] = toolTexts(seen[1]?.messages ?? []);
  expect(failed).toContain('outcome="error"');
  expect(failed).toContain("parse error: unexpected }");
  expect(empty).toContain('outcome="empty"');
  expect(invented).toContain("There is no tool named probe_invented. The tools are: probe_big, probe_die,");
  expect(broken).toContain("not a JSON object");
  const finished = of(events, "call.finished").toSorted((a, b) => a.number - b.number);
  expect(finished.map(({ outcome }) => outcome)).toEqual(["error", "empty", "error", "error", "ok"]);
  expect(report.findings.map(({ problems }) => problems)).toEqual([
    ["call 1 failed"],
    ["call 2 returned nothing"],
    ["call 3 asked no server"],
  ]);
  expect(report.verdict).toBe("inconclusive");
});

test("a tool that is not declared read-only is denied unless the policy allows it by name", async () => {
  const write = { name: "probe_write", arguments: { value: "a" } };
  const before = probe.effects().length;

  const denied = await runScript([{ calls: [write] }, { calls: [reportCall("likely", [1, "probe"])] }]);
  const allowed = await runScript([{ calls: [write] }, { calls: [reportCall("likely", [1, "probe"])] }], {
    policy: rulesPolicy({ allow: ["probe.write"], ask: [], deny: [] }),
  });

  expect(toolTexts(denied.seen[1]?.messages ?? [])[0]).toContain("it needs approval");
  expect(denied.report.skillsUsed).toEqual([]);
  expect(denied.report.coverage.servers[0]).toMatchObject({ state: "not asked", calls: { denied: 1 } });
  expect(allowed.report.skillsUsed).toEqual(["probe-skill"]);
  expect(probe.effects().slice(before)).toEqual([{ tool: "write", args: { value: "a" } }]);
});

test("the system prompt and the tool list are the same bytes in every step", async () => {
  const { seen } = await runScript([
    { calls: [echo("1")] },
    { calls: [echo("2")] },
    { text: "done" },
    { calls: [reportCall("likely")] },
  ]);

  expect(seen).toHaveLength(4);
  for (const { system, tools } of seen) {
    expect(system).toBe(seen[0]?.system);
    expect(JSON.stringify(tools)).toBe(JSON.stringify(seen[0]?.tools));
  }
  for (const [index, { messages }] of seen.entries()) {
    const next = seen[index + 1]?.messages.slice(0, messages.length);
    if (next) expect(JSON.stringify(next)).toBe(JSON.stringify(messages));
  }
});

test("a long result is cut, and read_result reads the rest of it", async () => {
  const { seen } = await runScript(
    [
      { calls: [{ name: "probe_big", arguments: { lines: 1000 } }] },
      {
        calls: [
          { name: "read_result", arguments: { call: 1, offset: 300 } },
          { name: "read_result", arguments: { call: 9 } },
        ],
      },
      { calls: [reportCall("likely", [1, "probe"])] },
    ],
    { budget: { steps: 9, tokens: 1e6, time: 60_000, resultTokens: 100 } },
  );

  const [first, page, missing] = toolTexts(seen[2]?.messages ?? []);
  expect(first).toContain("[cut here: read on with read_result, call 1, offset 300]");
  expect(page).toContain('call="1"');
  expect(page).toContain('characters="300-600 of ');
  expect(missing).toBe("No result was kept for call 9.");
});

test("wrong arguments of report are told twice, then the text becomes the summary", async () => {
  const wrong = { calls: [{ name: "report", arguments: { summary: "x" } }], text: "I think it is payments." };
  const { seen, report, ended } = await runScript([{ calls: [echo("x")] }, wrong, wrong, wrong]);

  expect(seen).toHaveLength(4);
  expect(toolTexts(seen[3]?.messages ?? []).at(-1)).toContain("verdict");
  expect(report).toMatchObject({ verdict: "inconclusive", summary: "I think it is payments.", findings: [] });
  expect(ended).toMatchObject({ reason: "no-report" });
});

test("a report whose arguments are no JSON is one of the attempts that are counted", async () => {
  const broken = { calls: [{ name: "report", arguments: "{broken" }], text: "I think it is payments." };
  const { seen, report, ended } = await runScript([{ calls: [echo("x")] }, broken, broken, broken]);

  expect(seen).toHaveLength(4);
  expect(toolTexts(seen[3]?.messages ?? []).at(-1)).toContain("not a JSON object");
  expect(report).toMatchObject({ verdict: "inconclusive", summary: "I think it is payments.", findings: [] });
  expect(ended).toMatchObject({ reason: "no-report" });
});

test("a text instead of a report is asked for as a report once, then taken as the summary", async () => {
  const { seen, report } = await runScript([{ text: "It is payments." }, { text: "As I said: payments." }]);

  expect(seen[1]?.toolChoice).toEqual({ tool: "report" });
  expect(report).toMatchObject({ verdict: "inconclusive", summary: "As I said: payments." });
});

test("equal calls without end are nudged once, then no call is allowed, and the run ends", async () => {
  const again = { calls: [echo("again")] };
  const { seen, report, events, ended } = await runScript(Array.from({ length: 19 }, () => again));

  expect(seen.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "auto", "auto", "none"]);
  expect(of(events, "message.user").map(({ kind }) => kind)).toEqual(["question", "repetition", "repetition"]);
  expect(of(events, "call.finished").at(-1)).toMatchObject({ outcome: "denied" });
  expect(ended).toMatchObject({ reason: "repetition" });
  expect(report.coverage.notices[0]).toContain("repeated calls");
});

test("the last step of the budget is kept for the report", async () => {
  const { seen, report, ended } = await runScript(
    [{ calls: [echo("1")] }, { calls: [echo("2")] }, { calls: [reportCall("likely", [1, "probe"])] }],
    { budget: { steps: 3, tokens: 1e6, time: 60_000, resultTokens: 1000 } },
  );

  expect(seen[2]?.toolChoice).toEqual({ tool: "report" });
  expect(report.verdict).toBe("likely");
  expect(report.coverage.budgets).toEqual([{ budget: "steps", message: "This is the last of 3 steps" }]);
  expect(ended).toMatchObject({ reason: "reported" });
});

test("a model that ignores the last step gets a report all the same", async () => {
  const { report, ended } = await runScript([{ text: "Hm.", calls: [echo("1")] }, { calls: [echo("2")] }], {
    budget: { steps: 2, tokens: 1e6, time: 60_000, resultTokens: 1000 },
  });

  expect(report).toMatchObject({ verdict: "inconclusive", summary: "Hm." });
  expect(ended).toMatchObject({ reason: "budget" });
});

test("the token budget asks for the report while there is room for it", async () => {
  const { seen, report } = await runScript(
    [
      { calls: [echo("1")], usage: { input: 300, output: 50 } },
      { calls: [reportCall("likely", [1, "probe"])], usage: { input: 400, output: 50 } },
    ],
    { budget: { steps: 9, tokens: 1000, time: 60_000, resultTokens: 1000 } },
  );

  expect(seen[1]?.toolChoice).toEqual({ tool: "report" });
  expect(report.coverage.budgets[0]?.budget).toBe("tokens");
});

test("the time budget cuts off a hanging call and a hanging model, and a report comes", async () => {
  const budget = { steps: 9, tokens: 1e6, time: 600, resultTokens: 1000 };

  const call = await runScript([{ calls: [{ name: "probe_slow", arguments: { ms: 4000 } }] }], { budget });
  const model = await runScript([{ text: "x", delay: Infinity }], { budget });

  for (const { report, ended } of [call, model]) {
    expect(report.coverage.budgets.map(({ budget }) => budget)).toEqual(["time"]);
    expect(ended).toMatchObject({ reason: "budget" });
  }
  expect(of(call.events, "call.finished")[0]).toMatchObject({ outcome: "error" });
});

test("failures that may pass are retried and noted; others end the run with a report", async () => {
  const retried = await runScript([
    { failed: "rate-limited", retryAfter: 10 },
    { calls: [echo("x")] },
    { failed: "cut", retryAfter: 10 },
    { calls: [reportCall("likely", [1, "probe"])] },
  ]);
  const refused = await runScript([
    { calls: [echo("x")], text: "First look." },
    { failed: "unauthorized", message: "invalid key" },
  ]);

  expect(retried.report.verdict).toBe("likely");
  expect(of(retried.events, "notice").map(({ kind }) => kind)).toEqual(["model-retry", "model-retry"]);
  expect(refused.report).toMatchObject({ verdict: "inconclusive", summary: "First look." });
  expect(refused.report.coverage.notices).toEqual(["the model failed (unauthorized: invalid key)"]);
  expect(refused.ended).toMatchObject({ reason: "model-failed" });
});

test("a server that dies in mid-call is healed for the next call", async () => {
  const { seen, report } = await runScript([
    { calls: [{ name: "probe_die" }] },
    { calls: [echo("alive again")] },
    { calls: [reportCall("likely", [2, "probe"])] },
  ]);

  const texts = toolTexts(seen[2]?.messages ?? []);
  expect(texts[0]).toContain('outcome="error"');
  expect(texts[1]).toContain("alive again");
  expect(report.verdict).toBe("likely");
});

test("a cancelled run ends at once, with the report so far", async () => {
  const abort = new AbortController();
  const context = probe.context([
    { text: "First look.", calls: [echo("x")] },
    { calls: [{ name: "probe_slow", arguments: { ms: 4000 } }] },
  ]);
  const began = Date.now();
  const events: RunEvent[] = [];

  for await (const event of runLoop(context, abort.signal)) {
    if (event.type === "delta") continue;
    events.push(event);
    if (event.type === "call.started" && event.number === 2) abort.abort(new Error("Ctrl-C"));
  }

  expect(Date.now() - began).toBeLessThan(2000);
  expect(reportOf(events)).toMatchObject({ verdict: "inconclusive", summary: "First look." });
  expect(events.at(-1)).toMatchObject({ reason: "cancelled" });
});

test("a run that is cancelled before it begins asks nothing and calls nothing", async () => {
  let asked = 0;
  const context = probe.context(() => {
    asked++;
    return { calls: [echo("x")] };
  });

  const events = await drain(runLoop(context, AbortSignal.abort(new Error("Ctrl-C"))));

  expect(asked).toBe(0);
  expect(events.at(-1)).toMatchObject({ type: "run.ended", reason: "cancelled" });
});

test("a cancelled run whose log ends before its report is resumed to the report alone", async () => {
  const abort = new AbortController();
  const log = memoryEventLog();
  const context = probe.context([{ calls: [echo("not to be made")] }], { log });
  // Cancelled after the model has asked for the call, and before it is made.
  const policy: Policy = {
    decide(call) {
      abort.abort();
      return context.policy.decide(call);
    },
  };
  await drain(runLoop({ ...context, policy }, abort.signal));
  const cut = log.events.findIndex((event) => event.type === "notice" && event.final) + 1;
  const before = probe.effects().length;

  const events = await drain(runLoop({ ...context, log: memoryEventLog(log.events.slice(0, cut)) }, never));

  expect(probe.effects()).toHaveLength(before);
  expect(of(events, "call.finished").map(({ outcome }) => outcome)).toEqual(["denied"]);
  expect(events.at(-1)).toMatchObject({ type: "run.ended", reason: "cancelled" });
});

test("old results make room before the window is full, and can be read again", async () => {
  const big = { name: "probe_big", arguments: { lines: 400 } };
  const bigger = { name: "probe_big", arguments: { lines: 401 } };
  const { seen, events } = await runScript([
    { calls: [big], usage: { input: 500, output: 10 } },
    { calls: [bigger], usage: { input: 160_000, output: 10 } },
    { calls: [{ name: "read_result", arguments: { call: 1 } }] },
    { calls: [reportCall("likely", [1, "probe"])] },
  ]);

  expect(of(events, "results.evicted").map(({ calls }) => calls)).toEqual([[1]]);
  const [first, second, again] = toolTexts(seen[3]?.messages ?? []);
  expect(first).toContain("the result of call 1 is no longer shown");
  expect(second).toContain("line 400");
  expect(again).toContain("line 1 of a long result");
});

test("words of built-in tools make no room, so they are not counted as gone", async () => {
  const wrong = { name: "read_result", arguments: { call: 99 } };
  const { events, seen } = await runScript([
    { calls: [wrong], usage: { input: 500, output: 10 } },
    { calls: [echo("x")], usage: { input: 160_000, output: 10 } },
    { calls: [reportCall("likely", [2, "probe"])] },
  ]);

  expect(of(events, "results.evicted")).toEqual([]);
  expect(toolTexts(seen[2]?.messages ?? [])[0]).toBe("No result was kept for call 99.");
});

test("of an immense number of calls in one answer, 500 are made and the others answered", async () => {
  const calls = Array.from({ length: 510 }, (_, index) => echo(`call ${index}`));

  const { seen, report } = await runScript([
    { calls },
    { calls: [reportCall("likely", [500, "probe"], [501, "probe"])] },
  ]);

  expect(toolTexts(seen[1]?.messages ?? []).slice(500)).toEqual(
    Array(10).fill("The call was not made: one step makes at most 500."),
  );
  expect(report.findings.map(({ status }) => status)).toEqual(["supported", "unsupported"]);
});

test("what the model wrote wrongly is told back only as far as it tells which is meant", async () => {
  const { seen } = await runScript([
    { calls: [{ name: "n".repeat(1_000_000) }, { name: "probe_echo", arguments: "x".repeat(1_000_000) }] },
    { calls: [reportCall("inconclusive")] },
  ]);

  for (const text of toolTexts(seen[1]?.messages ?? [])) {
    expect(text).toContain("(1000000 characters)");
    expect(text.length).toBeLessThan(3000);
  }
});

test("a report that nobody could read is not taken", async () => {
  const { seen } = await runScript([
    { calls: [{ name: "report", arguments: { summary: "x".repeat(1_000_000), verdict: "likely", findings: [] } }] },
    { calls: [reportCall("inconclusive")] },
  ]);

  expect(toolTexts(seen[1]?.messages ?? [])[0]).toContain("at most 200000 are taken");
});
