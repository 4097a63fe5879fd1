import { systemClock } from "../../src/clock/clock.ts";
import type { JsonObject } from "../../src/json/json.ts";
import type { AnswerPart, Message, StepInput, ToolMessage, ToolSpec } from "../../src/model/model.ts";
import { redactor } from "../../src/redact/redact.ts";
import type { ReportClaim } from "../../src/report/report.ts";
import { parseClaim } from "../../src/report/reportClaim.ts";
import { type ToolResult, textResult } from "../../src/result/toolResult.ts";
import { type RunbookOptions, runbookModel } from "../../src/runbook/runbookModel.ts";
import type { RunbookTool } from "../../src/runbook/runbookTool.ts";
import { parse } from "../../src/skill/skill.ts";

/** Answers the calls of one server: a text, an error of the tool, or nothing, which is a call that was denied. */
export type FakeServer = Readonly<Record<string, (args: JsonObject) => string | Error | undefined>>;

export interface Drive {
  /** Skill files. */
  readonly skills: readonly string[];
  readonly servers: Readonly<Record<string, FakeServer>>;
  readonly options?: Partial<RunbookOptions>;
}

export interface Driven {
  readonly claim: ReportClaim;
  /** In call order, the report left out. */
  readonly calls: readonly { readonly server: string; readonly tool: string; readonly args: JsonObject }[];
  readonly steps: number;
}

/** 14:00 to 14:30 UTC, a time as good as any. */
export const window = {
  baselineFrom: Date.UTC(2026, 10, 30, 13, 30),
  from: Date.UTC(2026, 10, 30, 14, 0),
  to: Date.UTC(2026, 10, 30, 14, 30),
};

const anything: JsonObject = {
  type: "object",
  properties: { from: {}, to: {}, limit: {}, includeSpans: {}, trace_id: {} },
};

/** Lets the runbook talk to servers that are functions, as the loop would, until it reports. */
export async function drive({ skills, servers, options = {} }: Drive): Promise<Driven> {
  const catalog = { skills: skills.map((text) => parse(text)) };
  const tools = new Map<string, readonly RunbookTool[]>(
    Object.entries(servers).map(([server, fake]) => [
      server,
      Object.keys(fake).map((name) => ({ name, offered: `${server}_${name}`, inputSchema: anything })),
    ]),
  );
  const specs: ToolSpec[] = [...tools.values()]
    .flat()
    .map(({ offered = "", inputSchema }) => ({ name: offered, description: "", inputSchema }));

  const messages: Message[] = [{ role: "user", text: "what is wrong?" }];
  const results = new Map<number, ToolResult>();
  const calls: { server: string; tool: string; args: JsonObject }[] = [];
  const redact = redactor([]);
  for (let steps = 1; ; steps++) {
    const input: StepInput = {
      system: "",
      messages,
      tools: specs,
      toolChoice: "auto",
      clock: systemClock,
      results: {
        put: () => Promise.reject(new Error("only the loop puts results")),
        get: async (call) => redact(results.get(call)),
        page: () => Promise.reject(new Error("the runbook reads whole results")),
      },
    };
    // A new one for each step, as after a crash: all that it knows stands in the conversation.
    const model = runbookModel({ catalog, tools, window, now: window.to, ...options });
    const parts = await answerTo(model, input);
    messages.push({ role: "assistant", parts });
    const answers: ToolMessage[] = [];
    for (const part of parts) {
      if (part.type !== "call") throw new Error(`the runbook said ${part.type}`);
      if (part.name === "report") {
        const parsed = parseClaim(part.arguments);
        if ("error" in parsed) throw new Error(parsed.error);
        return { claim: parsed.claim, calls, steps };
      }
      const [server, tool] = addressOf(part.name, tools);
      calls.push({ server, tool, args: part.arguments });
      const said = servers[server]?.[tool]?.(part.arguments);
      if (said !== undefined)
        results.set(calls.length, said instanceof Error ? textResult(said.message, true) : textResult(said));
      const text =
        said === undefined ? `${server}'s ${tool} was not called: it is forbidden (policy.deny).` : "wrapped";
      answers.push({ callId: part.id, name: part.name, text, isError: typeof said !== "string" });
    }
    messages.push({ role: "tool", results: answers });
  }
}

async function answerTo(model: ReturnType<typeof runbookModel>, input: StepInput): Promise<readonly AnswerPart[]> {
  for await (const event of model.step(input, AbortSignal.timeout(20_000)))
    if (event.type === "answered") return event.parts;
  throw new Error("the runbook gave no answer");
}

function addressOf(offered: string, tools: ReadonlyMap<string, readonly RunbookTool[]>): readonly [string, string] {
  for (const [server, list] of tools) {
    const found = list.find((tool) => tool.offered === offered);
    if (found) return [server, found.name];
  }
  throw new Error(`no tool is offered as ${offered}`);
}

/** A skill file with its blocks. */
export function skillOf(server: string | undefined, ...blocks: readonly string[]): string {
  const field = server === undefined ? "" : `mcp_server: ${server}\n`;
  return `---\nname: ${server ?? "generic"}-skill\n${field}---\n${blocks.join("\n\n")}`;
}

export function promql(title: string, query: string, hints = ""): string {
  return `\`\`\`promql title="${title}" ${hints}\n${query}\n\`\`\``;
}

/** Prometheus' answer, one series a service: a value for every so many seconds of baseline and window, by its minute. */
export function matrix(
  services: Readonly<Record<string, (minute: number) => number | undefined>>,
  seconds = 10,
): string {
  const result = Object.entries(services).map(([service, valueAt]) => ({
    metric: { service },
    values: Array.from({ length: 3600 / seconds }, (_, index) => (index + 1) * seconds).flatMap((second) => {
      const value = valueAt(second / 60);
      return value === undefined ? [] : [[window.baselineFrom / 1000 + second, String(value)]];
    }),
  }));
  return JSON.stringify({ status: "success", data: { resultType: "matrix", result } });
}
