import { systemClock } from "../../src/clock/clock.ts";
import type { Model, ModelEvent, StepInput, ToolSpec } from "../../src/model/model.ts";

export const wireTools: readonly ToolSpec[] = ["loki_query", "prometheus_query", "report"].map((name) => ({
  name,
  description: `Runs ${name}.`,
  inputSchema: { type: "object", properties: { query: { type: "string" } }, additionalProperties: false },
}));

/** A step of a conversation that has just begun, with the given fields instead. */
export function stepInput(fields: Partial<StepInput> = {}): StepInput {
  return {
    system: "You investigate incidents.\n\n## Skills\n- checkout: how checkout is built {{ }} $& %s\n",
    messages: [{ role: "user", text: "why is checkout slow?" }],
    tools: wireTools,
    toolChoice: "auto",
    results: {
      put: async () => undefined,
      get: async () => undefined,
      page: async () => undefined,
    },
    clock: systemClock,
    ...fields,
  };
}

type Ending = Extract<ModelEvent, { type: "answered" | "failed" }>;

/** Every event of one step, and its ending; throws where the step breaks the contract of `Model`. */
export async function drain(
  model: Model,
  input: StepInput = stepInput(),
  signal: AbortSignal = AbortSignal.timeout(20_000),
): Promise<{ readonly events: readonly ModelEvent[]; readonly ending: Ending }> {
  const events: ModelEvent[] = [];
  for await (const event of model.step(input, signal)) events.push(event);
  const ending = events.at(-1);
  const endings = events.filter(({ type }) => type === "answered" || type === "failed");
  if (endings.length !== 1 || (ending?.type !== "answered" && ending?.type !== "failed")) {
    throw new Error(`a step must end with exactly one answered or failed: ${JSON.stringify(events)}`);
  }
  return { events, ending };
}
