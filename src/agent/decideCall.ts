import { z } from "zod";
import type { JsonObject } from "../json/json.ts";
import type { AnswerPart } from "../model/model.ts";
import { callTool } from "./builtinTools.ts";
import type { BuiltinName, CallDecided, CallTarget } from "./events.ts";
import type { Policy } from "./policy.ts";
import type { StepTurn } from "./runState.ts";
import type { ToolSet } from "./toolSet.ts";

export type CallPart = Extract<AnswerPart, { type: "call" | "invalid-call" }>;

export type DecidedCall = Pick<CallDecided, "target" | "arguments" | "decision" | "rule" | "refusal">;

/** What becomes of a call that the model asked for. Pure; never throws. */
export function decideCall(
  part: CallPart,
  step: StepTurn,
  { tools, policy }: { tools: ToolSet; policy: Policy },
): DecidedCall {
  if (part.type === "invalid-call") {
    const message = `The arguments are not a JSON object (${part.error}). They were: ${beginning(part.text, 2_000)}`;
    // A broken report is an attempt at one. For a server it is none: nothing was asked of it.
    const meant = tools.resolve(part.name);
    const target = meant?.kind === "built-in" ? { target: meant } : {};
    return refused("error", { rule: "arguments are no JSON object", message, ...target });
  }
  const target = tools.resolve(part.name);
  if (!target) {
    const known = tools.specs.map(({ name }) => name).join(", ");
    const message = `There is no tool named ${beginning(part.name, 200)}. The tools are: ${known}.`;
    return refused("error", { rule: "no such tool", message, arguments: part.arguments });
  }
  if (!permitted(step, target)) {
    const message = `${part.name} was not called: only the report is taken now.`;
    return refused("denied", { rule: "no calls in this step", message, target, arguments: part.arguments });
  }
  if (target.kind === "server") return decideServerCall(target, part.arguments, policy);
  return target.tool === "call_tool"
    ? decideIndirect(part.arguments, { tools, policy })
    : builtIn(target.tool, part.arguments);
}

/** What the model wrote stands in the conversation already: as much of it as tells which is meant. */
function beginning(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}

function refused(
  outcome: "denied" | "error",
  call: { rule: string; message: string; target?: CallTarget; arguments?: JsonObject },
): DecidedCall {
  const { rule, message, target = { kind: "none" }, arguments: args = {} } = call;
  return { target, arguments: args, decision: "deny", rule, refusal: { outcome, message } };
}

/** A step that demands one tool, or none, executes nothing else, whatever the model answers. */
function permitted({ toolChoice }: StepTurn, target: CallTarget): boolean {
  if (toolChoice === "auto") return true;
  return toolChoice !== "none" && target.kind === "built-in" && target.tool === toolChoice.tool;
}

function builtIn(tool: BuiltinName, args: JsonObject): DecidedCall {
  return { target: { kind: "built-in", tool }, arguments: args, decision: "allow", rule: "built-in" };
}

/** `call_tool` with arguments is a call of that tool like any other; without, it describes the tool. */
function decideIndirect(args: JsonObject, { tools, policy }: { tools: ToolSet; policy: Policy }): DecidedCall {
  const { success, data, error } = callTool.safeParse(args);
  if (!success) return refused("error", { rule: "wrong arguments", message: z.prettifyError(error), arguments: args });
  const target = tools.find(data.server, data.tool);
  if (!target) {
    const message = `There is no tool ${data.tool} on a server named ${data.server}.`;
    return refused("error", { rule: "no such tool", message, arguments: args });
  }
  return data.arguments ? decideServerCall(target, data.arguments, policy) : builtIn("call_tool", args);
}

function decideServerCall(target: CallTarget & { kind: "server" }, args: JsonObject, policy: Policy): DecidedCall {
  const { decision, rule } = policy.decide(target);
  if (decision === "allow") return { target, arguments: args, decision, rule };
  const why =
    decision === "ask" ? `it needs approval (${rule}), and nobody can give it here` : `it is forbidden (${rule})`;
  const message = `${target.server}'s ${target.tool} was not called: ${why}.`;
  return refused("denied", { rule, message, target, arguments: args });
}
