import { isJsonObject } from "../json/json.ts";
import type { AnswerPart, StepInput, ToolMessage } from "../model/model.ts";
import { resultText } from "../result/toolResult.ts";
import { type Ask, askKey } from "./ask.ts";
import type { RunbookTool } from "./runbookTool.ts";

/** What became of a call. `refused` never reached the server; `text` then says why. */
export interface Answer {
  readonly call: number;
  readonly outcome: "answered" | "failed" | "refused";
  readonly text: string;
}

/** The runbook's own earlier calls, as the conversation holds them: its only memory. */
export interface Conversation {
  made(ask: Ask): boolean;
  /** Undefined for a call that was not made. */
  answer(ask: Ask): Promise<Answer | undefined>;
}

/** The built-in tool that reaches what is not offered by itself. */
export const indirectTool = "call_tool";

/** Reads calls and results. Nothing of the wrapped text of results is used: it holds the run's random delimiter. */
export function readConversation(
  { messages, results }: Pick<StepInput, "messages" | "results">,
  tools: ReadonlyMap<string, readonly RunbookTool[]>,
): Conversation {
  const parts = messages
    .flatMap((message) => (message.role === "assistant" ? message.parts : []))
    .filter((part) => part.type === "call" || part.type === "invalid-call");
  const byId = new Map(
    messages
      .flatMap((message) => (message.role === "tool" ? message.results : []))
      .map((result) => [result.callId, result]),
  );
  const numbers = new Map<string, { readonly number: number; readonly id: string }>();
  for (const [index, part] of parts.entries()) {
    const key = keyOf(part, tools);
    if (key !== undefined) numbers.set(key, { number: index + 1, id: part.id });
  }
  return {
    made: (ask) => numbers.has(askKey(ask)),
    async answer(ask) {
      const made = numbers.get(askKey(ask));
      const message = made && byId.get(made.id);
      return made && message ? await answerOf(made.number, message, results) : undefined;
    },
  };
}

async function answerOf(call: number, message: ToolMessage, results: StepInput["results"]): Promise<Answer> {
  const result = await results.get(call);
  if (!result) return { call, outcome: "refused", text: message.text };
  return { call, outcome: message.isError ? "failed" : "answered", text: resultText(result) };
}

function keyOf(part: AnswerPart, tools: ReadonlyMap<string, readonly RunbookTool[]>): string | undefined {
  if (part.type !== "call") return undefined;
  const { server, tool, arguments: args } = part.arguments;
  if (part.name === indirectTool && typeof server === "string" && typeof tool === "string" && isJsonObject(args))
    return askKey({ server, tool, arguments: args });
  for (const [server, list] of tools) {
    const found = list.find(({ offered }) => offered === part.name);
    if (found) return askKey({ server, tool: found.name, arguments: part.arguments });
  }
  return undefined;
}
