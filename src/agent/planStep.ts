import type { ToolChoice } from "../model/model.ts";
import type { BudgetHit } from "../report/report.ts";
import { type BudgetUse, budgetHit, budgetNearlyHit } from "./budget.ts";
import type { NoticeKind, RunEnded, UserMessage } from "./events.ts";
import { repeatedSteps } from "./repetition.ts";
import { acceptedReport, callsOfStep, type RunState, reportCalls, stepsOf, turnsOf } from "./runState.ts";

/** What the loop does once all calls of the last step are finished. */
export type Plan =
  | { readonly kind: "ask"; readonly toolChoice: ToolChoice; readonly say?: Saying; readonly notice?: PlannedNotice }
  | { readonly kind: "finish"; readonly reason: RunEnded["reason"]; readonly notice?: PlannedNotice };

type Saying = Pick<UserMessage, "kind" | "text">;
type PlannedNotice =
  | { readonly kind: "budget"; readonly budget: BudgetHit["budget"]; readonly message: string }
  | { readonly kind: "repetition"; readonly message: string };

const report: ToolChoice = { tool: "report" };

/** A wrong report is answered with what is wrong this often; the next wrong one ends the run with its text. */
const reportRetries = 2;

const endReasons: Partial<Record<NoticeKind, RunEnded["reason"]>> = {
  budget: "budget",
  cancelled: "cancelled",
  "model-failed": "model-failed",
};

/** The next move, from the state alone. Pure. */
export function planStep(state: RunState, use: BudgetUse): Plan {
  const final = state.notices.find((notice) => notice.final);
  if (final) return { kind: "finish", reason: endReasons[final.kind] ?? "no-report" };
  const last = stepsOf(state).at(-1);
  if (!last) return ask(state, use);

  const reports = reportCalls(state);
  if (acceptedReport(state)) return { kind: "finish", reason: "reported" };
  if (last.toolChoice === "none") return { kind: "finish", reason: "repetition" };
  const hit = budgetHit(use);
  if (hit) return { kind: "finish", reason: "budget", notice: { kind: "budget", ...hit } };
  if (reports.filter(({ finished }) => finished?.outcome === "error").length > reportRetries)
    return { kind: "finish", reason: "no-report" };
  if (saidBefore(state, "last-step") && callsOfStep(state, last.step).every((call) => !reports.includes(call))) {
    return { kind: "finish", reason: "budget" };
  }

  const repeated = repeatedSteps(state);
  if (repeated >= 2 && saidBefore(state, "repetition")) {
    return {
      kind: "ask",
      toolChoice: "none",
      notice: {
        kind: "repetition",
        message: "the model repeated calls that had answered, and was not allowed further calls",
      },
      say: {
        kind: "repetition",
        text: "You repeat calls whose results you have. No further calls are possible. Write down, as text, what the results show and what stays open.",
      },
    };
  }
  if (callsOfStep(state, last.step).length === 0) {
    if (saidBefore(state, "submit-report")) return { kind: "finish", reason: "no-report" };
    return {
      kind: "ask",
      toolChoice: report,
      say: {
        kind: "submit-report",
        text: "Submit this as the report, with the `report` tool, citing the calls that prove each finding.",
      },
    };
  }
  const plan = ask(state, use);
  if (repeated < 2 || plan.say) return plan;
  return {
    ...plan,
    say: {
      kind: "repetition",
      text: "You have made the same calls before and their results are above. Ask something new, or submit the report.",
    },
  };
}

/** A free step, or the one in which the report is demanded because the budget allows no other after it. */
function ask(state: RunState, use: BudgetUse): Plan & { kind: "ask" } {
  const near = saidBefore(state, "last-step") ? undefined : budgetNearlyHit(use);
  if (saidBefore(state, "last-step")) return { kind: "ask", toolChoice: report };
  if (!near) return { kind: "ask", toolChoice: "auto" };
  return {
    kind: "ask",
    toolChoice: report,
    notice: { kind: "budget", ...near },
    say: { kind: "last-step", text: `${near.message}. Submit the report now, with what you know.` },
  };
}

function saidBefore(state: RunState, kind: UserMessage["kind"]): boolean {
  return turnsOf(state).some((turn) => turn.kind === "user" && turn.message.kind === kind);
}
