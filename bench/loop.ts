/**
 * What the loop itself costs a step: an instant scripted model, tools that answer at once, results kept on disk as in a
 * real run: `node bench/loop.ts [--json]`. Beside it, the same run through the AI SDK adapter over an instant provider,
 * and the SDK's own `streamText` over that provider. Aim for the loop: under 2 ms.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { jsonSchema, type ToolSet as SdkToolSet, streamText } from "ai";
import { memoryEventLog } from "../src/agent/eventLog.ts";
import { noLimits } from "../src/agent/limits.ts";
import { runLoop } from "../src/agent/loop.ts";
import { rulesPolicy } from "../src/agent/policy.ts";
import { promptOf } from "../src/agent/prompt.ts";
import type { RunContext } from "../src/agent/runContext.ts";
import { systemPrompt } from "../src/agent/systemPrompt.ts";
import { type ToolSet, toolSet } from "../src/agent/toolSet.ts";
import { systemClock } from "../src/clock/clock.ts";
import { aiSdkModel } from "../src/model/aiSdkModel.ts";
import type { Model } from "../src/model/model.ts";
import { scriptedModel } from "../src/model/scriptedModel.ts";
import { redactor } from "../src/redact/redact.ts";
import { textResult } from "../src/result/toolResult.ts";
import { directoryResults } from "../test/kit/directoryResults.ts";
import { median } from "./median.ts";

export interface LoopBench {
  readonly steps: number;
  readonly rounds: number;
  /** Medians over the rounds, ms a step. */
  readonly loop: number;
  readonly loopWithAdapter: number;
  readonly streamText: number;
}

const steps = 50;
const report = { summary: "s", verdict: "inconclusive", findings: [], next_steps: [] };
const toolName = "probe_query";
const call = (step: number) =>
  step < steps - 1 ? { name: toolName, arguments: { step } } : { name: "report", arguments: report };

const redact = redactor([]);
const answer = redact(
  textResult(
    JSON.stringify({
      result: Array.from({ length: 60 }, (_, index) => ({ metric: { pod: `pod-${index}` }, value: [index, "1"] })),
    }),
  ),
);
const catalog = { skills: [], digest: "" };

export async function benchLoop(rounds = 9): Promise<LoopBench> {
  const tools = toolSet(probeTools(), { tools: 128, tokens: 30_000 });
  const times = { loop: [] as number[], loopWithAdapter: [] as number[], streamText: [] as number[] };
  for (let round = -2; round < rounds; round += 1) {
    const loop = await timedRun(tools, scriptedModel({ steps: (_, step) => ({ calls: [call(step)] }) }));
    const loopWithAdapter = await timedRun(
      tools,
      aiSdkModel(instantProvider(), { id: "instant/model", window: 200_000 }),
    );
    const sdk = await timedStreamText(tools);
    if (round < 0) continue;
    times.loop.push(loop);
    times.loopWithAdapter.push(loopWithAdapter);
    times.streamText.push(sdk);
  }
  return {
    steps,
    rounds,
    loop: median(times.loop),
    loopWithAdapter: median(times.loopWithAdapter),
    streamText: median(times.streamText),
  };
}

function probeTools() {
  const definition = {
    name: "query",
    description: "Runs a query.",
    inputSchema: { type: "object", properties: { step: { type: "number" } } },
    annotations: { readOnlyHint: true },
  };
  return [{ server: "probe", tool: redact(definition) }];
}

/** ms a step of one whole run. */
async function timedRun(tools: ToolSet, model: Model): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "korvus-bench-"));
  const context: RunContext = {
    question: "why?",
    window: { from: 0, to: 1, baselineFrom: 0 },
    model,
    prompt: promptOf(systemPrompt(catalog)),
    catalog,
    skillsDropped: [],
    servers: [{ name: "probe", connected: true }],
    fingerprints: {},
    tools,
    callServer: async () => ({ outcome: "ok", result: answer, reached: true }),
    policy: rulesPolicy({ allow: [], ask: [], deny: [] }),
    results: directoryResults(directory),
    limits: noLimits,
    budget: { steps: steps + 1, tokens: 1e9, time: 600_000, resultTokens: 25_000 },
    log: memoryEventLog(),
    clock: systemClock,
  };
  try {
    const began = performance.now();
    let ended = "";
    for await (const event of runLoop(context, new AbortController().signal))
      if (event.type === "run.ended") ended = event.reason;
    if (ended !== "reported") throw new Error(`the run ended with ${ended}`);
    return (performance.now() - began) / steps;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A provider of the AI SDK that answers at once with the same calls. */
function instantProvider(): LanguageModelV4 {
  let step = 0;
  return {
    specificationVersion: "v4",
    provider: "instant",
    modelId: "model",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("only streams")),
    async doStream() {
      const { name, arguments: args } = call(step++);
      const usage = {
        inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 10, text: 10, reasoning: 0 },
      };
      const parts: LanguageModelV4StreamPart[] = [
        { type: "stream-start", warnings: [] },
        { type: "tool-call", toolCallId: `call-${step}`, toolName: name, input: JSON.stringify(args) },
        { type: "finish", usage, finishReason: { unified: "tool-calls", raw: "tool_calls" } },
      ];
      return { stream: ReadableStream.from<LanguageModelV4StreamPart>(parts) };
    },
  };
}

async function timedStreamText({ specs }: ToolSet): Promise<number> {
  const model = instantProvider();
  // The SDK's own types refuse schemas that are only known at run time.
  const tools = Object.fromEntries(
    specs.map(({ name, description, inputSchema }) => [name, { description, inputSchema: jsonSchema(inputSchema) }]),
  ) as unknown as SdkToolSet;
  const began = performance.now();
  for (let step = 0; step < steps; step += 1) {
    const { stream } = streamText({ model, tools, prompt: "why?", maxRetries: 0 });
    for await (const part of stream) if (part.type === "error") throw part.error;
  }
  return (performance.now() - began) / steps;
}

export function showLoop({ steps, rounds, loop, loopWithAdapter, streamText: sdk }: LoopBench): string {
  const line = (name: string, ms: number) => `${name.padEnd(38)} ${ms.toFixed(2).padStart(6)} ms a step`;
  return `${steps} steps with a tool call each, medians of ${rounds} rounds
${line("the loop (aim 2)", loop)}
${line("the loop with the AI SDK adapter", loopWithAdapter)}
${line("the AI SDK's streamText alone", sdk)}`;
}

if (import.meta.main) {
  const result = await benchLoop();
  console.log(process.argv.includes("--json") ? JSON.stringify(result) : showLoop(result));
}
