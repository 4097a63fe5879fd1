import type { Clock } from "../clock/clock.ts";
import type { JsonObject } from "../json/json.ts";
import type { CallAnswer } from "../mcp/callThrough.ts";
import { parseClaim } from "../report/reportClaim.ts";
import { isEmpty } from "../result/isEmpty.ts";
import type { Results } from "../result/results.ts";
import { resultText } from "../result/toolResult.ts";
import { callTool, parseReadResult } from "./builtinTools.ts";
import type { CallFinished } from "./events.ts";
import type { Limits } from "./limits.ts";
import type { CallState } from "./runState.ts";
import type { ToolSet } from "./toolSet.ts";

/** What a server answered. */
type ServerAnswer = Pick<CallAnswer, "outcome" | "result" | "reached">;

/** Must not throw, except with the signal's reason once it is aborted. */
type CallServer = (
  server: string,
  tool: string,
  args: JsonObject,
  options: { readonly signal: AbortSignal; readonly readOnly: boolean },
) => Promise<ServerAnswer>;

export interface ExecuteContext {
  readonly tools: ToolSet;
  readonly callServer: CallServer;
  readonly results: Results;
  readonly limits: Limits;
  readonly clock: Clock;
  /** Size of the pages that `read_result` gives, in characters. */
  readonly pageSize: number;
}

/** Makes an allowed call. Rejects only when the result cannot be kept: what a tool does wrong is an outcome. */
export async function executeCall(
  call: CallState,
  context: ExecuteContext,
  signal: AbortSignal,
): Promise<CallFinished> {
  const { target, number } = call;
  const began = context.clock.now();
  const finish = (end: Pick<CallFinished, "outcome" | "reached" | "size" | "reason" | "message">): CallFinished => ({
    type: "call.finished",
    number,
    duration: context.clock.now() - began,
    ...end,
  });
  if (target.kind === "built-in") return finish(await executeBuiltin(call, context));
  if (target.kind === "none")
    return finish({ outcome: "error", reached: false, size: 0, message: "There is no such tool." });

  try {
    using _room = await context.limits.acquire(`server:${target.server}`, signal);
    const answer = await context.callServer(target.server, target.tool, call.arguments, {
      signal,
      readOnly: target.readOnly,
    });
    await context.results.put(number, answer.result);
    const outcome = answer.outcome === "ok" && isEmpty(answer.result) ? "empty" : answer.outcome;
    const text = resultText(answer.result);
    const reason = outcome === "ok" || outcome === "empty" ? {} : { reason: firstLine(text) };
    return finish({ outcome, reached: answer.reached, size: text.length, ...reason });
  } catch (error) {
    if (!signal.aborted) throw error;
    return finish({ reached: true, size: 0, ...interrupted(target.readOnly) });
  }
}

/** Long enough for what went wrong, too short for a stack. */
const longestReason = 200;

function firstLine(text: string): string {
  return text.trim().split("\n", 1).join("").slice(0, longestReason).toWellFormed();
}

/** The end of a call that was cut off: one that may have changed something is not simply a failure. */
export function interrupted(readOnly: boolean): Pick<CallFinished, "outcome" | "message"> {
  return readOnly
    ? { outcome: "error", message: "The call was cut off before it answered." }
    : { outcome: "unknown", message: "The call was cut off. Nobody knows whether it took effect." };
}

async function executeBuiltin(
  { target, arguments: args }: CallState,
  { tools, results, pageSize }: ExecuteContext,
): Promise<Pick<CallFinished, "outcome" | "reached" | "size" | "message">> {
  const end = (outcome: "ok" | "error", message: string) => ({
    outcome,
    reached: false,
    size: message.length,
    message,
  });
  if (target.kind !== "built-in") throw new Error("not a built-in tool");
  switch (target.tool) {
    case "report": {
      const parsed = parseClaim(args);
      return "error" in parsed
        ? end("error", `The report was not taken. Correct this and call report again:\n${parsed.error}`)
        : end("ok", "The report is taken.");
    }
    case "read_result": {
      const wanted = parseReadResult(args);
      if ("error" in wanted) return end("error", wanted.error);
      const page = await results.page(wanted.call, { offset: wanted.offset, limit: pageSize });
      if (!page) return end("error", `No result was kept for call ${wanted.call}.`);
      return { outcome: "ok", reached: false, size: page.text.length };
    }
    case "call_tool": {
      const { data } = callTool.safeParse(args);
      const description = data && tools.describe(data.server, data.tool);
      return description === undefined ? end("error", "There is no such tool.") : end("ok", description);
    }
  }
}
