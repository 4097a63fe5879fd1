import type { JsonObject } from "../json/json.ts";
import type { AnswerPart, Model, StepInput } from "../model/model.ts";
import type { Catalog } from "../skill/catalog.ts";
import { distinct } from "./ask.ts";
import { indirectTool, readConversation } from "./conversation.ts";
import { progress } from "./progress.ts";
import type { RunbookTool } from "./runbookTool.ts";
import type { Periods } from "./score.ts";

export interface RunbookOptions {
  readonly catalog: Pick<Catalog, "skills">;
  /** By server: those that are connected. */
  readonly tools: ReadonlyMap<string, readonly RunbookTool[]>;
  /** ms since the Unix epoch. */
  readonly window: Omit<Periods, "step">;
  /** What the run takes as now. */
  readonly now: number;
  /** Values for holes in queries, by name. */
  readonly set?: Readonly<Record<string, string>>;
  /** Labels that name a service, the most trusted first. */
  readonly serviceLabels?: readonly string[];
  /** By server: arguments that its query tools need and only the operator knows (a datasource). */
  readonly needed?: ReadonlyMap<string, JsonObject>;
}

/**
 * A model that needs no language model: it does what the skills say, compares the window with its baseline, and reports
 * who departed first and most. It keeps nothing between steps: what it did stands in the conversation. The same results
 * give the same report, byte for byte; it reads no clock.
 */
export function runbookModel(options: RunbookOptions): Model {
  return {
    id: "runbook",
    // Nothing is read from the prompt, so nothing ever fills it.
    window: 1_000_000,
    async *step(input, signal) {
      signal.throwIfAborted();
      const parts = await answer(options, input);
      signal.throwIfAborted();
      yield { type: "answered", parts, usage: { input: 0, output: 0, cached: 0 }, finish: "calls" };
    },
  };
}

/** They run in parallel: more than this would only queue, and a budget could not end them between two steps. */
const callsAStep = 100;

/** The next calls: those of the first stage that are not all made, else the report. */
async function answer(options: RunbookOptions, input: StepInput): Promise<readonly AnswerPart[]> {
  const conversation = readConversation(input, options.tools);
  const { wants, claim } = await progress(options, conversation);
  const step = input.messages.filter(({ role }) => role === "assistant").length + 1;
  const open = distinct(wants.map(({ ask }) => ask)).filter((ask) => !conversation.made(ask));
  if (open.length > 0 && input.toolChoice === "auto") {
    const offered = new Set(input.tools.map(({ name }) => name));
    return open.slice(0, callsAStep).map(({ server, tool, arguments: args }, index) => {
      const id = `runbook-${step}-${index + 1}`;
      const name = options.tools.get(server)?.find((known) => known.name === tool)?.offered;
      return name !== undefined && offered.has(name)
        ? { type: "call", id, name, arguments: args }
        : { type: "call", id, name: indirectTool, arguments: { server, tool, arguments: args } };
    });
  }
  const { nextSteps, ...rest } = await claim();
  // A claim is plain JSON, which its interface alone does not say.
  const report = { ...rest, next_steps: nextSteps } as unknown as JsonObject;
  return [{ type: "call", id: `runbook-${step}-1`, name: "report", arguments: report }];
}
