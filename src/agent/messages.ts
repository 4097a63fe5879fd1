import type { Message, ToolMessage } from "../model/model.ts";
import type { Results } from "../result/results.ts";
import { parseReadResult } from "./builtinTools.ts";
import { type CallState, callsOfStep, type RunState } from "./runState.ts";
import type { ToolSet } from "./toolSet.ts";
import { wrapResult } from "./wrapResult.ts";

export interface MessageSources {
  readonly results: Results;
  readonly tools: ToolSet;
  /** Characters of a result that are shown at once. */
  readonly pageSize: number;
}

/** Gives the conversation that a state stands for. */
export type Messages = (state: RunState) => Promise<readonly Message[]>;

/**
 * The conversation in the order in which it happened, results in call order. The same state gives the same bytes, so a
 * step's messages begin with those of the step before, until results are evicted. Keeps what it made of finished calls:
 * every step needs all of them again, and they do not change.
 */
export function messagesFrom(sources: MessageSources): Messages {
  const made = new Map<number, ToolMessage>();
  const once = async (call: CallState, state: RunState) => {
    if (state.evicted.has(call.number)) return await toolMessage(call, state, sources);
    const message = made.get(call.number) ?? (await toolMessage(call, state, sources));
    made.set(call.number, message);
    return message;
  };
  return async (state) => {
    const messages: Message[] = [];
    for (const turn of state.turns) {
      if (turn.kind === "user") messages.push({ role: "user", text: turn.message.text });
      else if (turn.answer) {
        messages.push({ role: "assistant", parts: turn.answer.parts });
        const results = await Promise.all(callsOfStep(state, turn.step).map((call) => once(call, state)));
        if (results.length > 0) messages.push({ role: "tool", results });
      }
    }
    return messages;
  };
}

async function toolMessage(call: CallState, state: RunState, sources: MessageSources): Promise<ToolMessage> {
  const outcome = call.finished?.outcome;
  return {
    callId: call.callId,
    name: call.name,
    text: await callText(call, state, sources),
    isError: outcome !== "ok" && outcome !== "empty",
  };
}

/** What the model reads as the result of a call. */
async function callText(call: CallState, state: RunState, sources: MessageSources): Promise<string> {
  if (call.finished?.message !== undefined) return call.finished.message;
  const shown = shownOf(call, state);
  if (!shown) return "done";
  // The number stands nowhere else in the conversation: without it the result could be neither read again nor cited.
  if (state.evicted.has(call.number))
    return `[the result of call ${shown.call.number} is no longer shown, to save room; read_result shows it again]`;
  return await shownPage(shown.call, shown.offset, { ...sources, state });
}

/** The call whose kept result is shown, and from where: another's for `read_result`. */
function shownOf(call: CallState, state: RunState): { readonly call: CallState; readonly offset: number } | undefined {
  const { target } = call;
  if (target.kind === "server") return { call, offset: 0 };
  if (target.kind !== "built-in" || target.tool !== "read_result") return undefined;
  const wanted = parseReadResult(call.arguments);
  const source = "error" in wanted ? undefined : state.calls[wanted.call - 1];
  return source && !("error" in wanted) ? { call: source, offset: wanted.offset } : undefined;
}

async function shownPage(
  call: CallState,
  offset: number,
  { results, pageSize, state }: MessageSources & { readonly state: RunState },
): Promise<string> {
  const page = await results.page(call.number, { offset, limit: pageSize });
  if (!page || call.target.kind !== "server" || !call.finished) return `[no result was kept for call ${call.number}]`;
  return wrapResult(page, {
    delimiter: state.started?.delimiter ?? "",
    call: call.number,
    server: call.target.server,
    tool: call.target.tool,
    outcome: call.finished.outcome,
  });
}
