import type { StepInput } from "../../src/model/model.ts";
import type { ScriptedAnswer } from "../../src/model/scriptedModel.ts";
import { reportCall } from "../kit/probeRun.ts";

/** A step that was asked of the model: whose question, which step, when. */
export interface AskedStep {
  readonly question: string;
  readonly step: number;
  readonly at: number;
}

/** Five steps of 200 ms: one reads, one writes, two look at what there is, the last reports. */
export function fleetSteps(asked: (line: AskedStep) => void) {
  return ({ messages }: StepInput): ScriptedAnswer => {
    const step = messages.filter(({ role }) => role === "assistant").length;
    const [first] = messages;
    const question = first?.role === "user" ? (first.text.split("\n")[0] ?? "") : "";
    asked({ question, step, at: Date.now() });
    const delay = 200;
    if (step === 0) return { delay, calls: [{ name: "probe_echo", arguments: { text: question } }] };
    if (step === 1) return { delay, calls: [{ name: "probe_write", arguments: { value: question } }] };
    if (step < 4) return { delay, calls: [{ name: "read_result", arguments: { call: 1, offset: step } }] };
    return { delay, calls: [reportCall("likely", [1, "probe"])] };
  };
}
