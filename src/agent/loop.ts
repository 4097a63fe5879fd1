import type { Clock } from "../clock/clock.ts";
import type { Budget } from "../config/config.ts";
import { askModel } from "./askModel.ts";
import { beginRun } from "./beginRun.ts";
import { type BudgetUse, timeUsedUp } from "./budget.ts";
import { type CallPart, type DecidedCall, decideCall } from "./decideCall.ts";
import type { CallDecided, Ephemeral, RunEvent } from "./events.ts";
import { callsToEvict, pageSizeFor } from "./evict.ts";
import { type Journal, openJournal } from "./journal.ts";
import { makeReport } from "./makeReport.ts";
import { type Messages, messagesFrom } from "./messages.ts";
import { type Plan, planStep } from "./planStep.ts";
import { runCalls } from "./runCalls.ts";
import type { RunContext } from "./runContext.ts";
import { callsOfStep, type RunState, type StepTurn, stepsOf } from "./runState.ts";
import { runCost } from "./runSummary.ts";

/**
 * The one loop. Yields each event after it is appended, and deltas as they come; ends after `run.ended`. Where the log
 * already holds events, it goes on from them: no answered step is asked again, no finished call repeated. Every end, the
 * signal's abort included, is a report. Rejects when the log or the results cannot be written, or with
 * `ResumeError` when the log belongs to another prompt.
 */
export async function* runLoop(context: RunContext, signal: AbortSignal): AsyncGenerator<RunEvent | Ephemeral, void> {
  const journal = await openJournal(context.log, context.clock);
  const { started, ended } = journal.state;
  if (ended && started?.message === context.message) return;
  beginRun(journal, context);
  const pageSize = pageSizeFor(context.model.window, context.budget.resultTokens);
  const run: Run = { ...context, pageSize, messages: messagesFrom({ ...context, pageSize }) };

  // Ends with the run or the time budget; whoever leaves this generator early ends its calls too.
  const end = new AbortController();
  // A log that was cut between the word that nothing more is called and the report.
  if (isFinal(journal.state)) end.abort(new Error("the run was ending"));
  const timer = endAfter(context.budget.time - journal.state.active, { end, clock: context.clock });
  const work = AbortSignal.any([signal, end.signal]);
  const asking = context.leave ? AbortSignal.any([work, context.leave]) : work;
  try {
    while (!journal.state.ended && !context.leave?.aborted) {
      const acting = advance(journal, run, { signal, work, asking });
      if (acting) yield* acting;
    }
    yield* await journal.flush();
  } finally {
    end.abort(new Error("the run has ended"));
    await timer;
  }
}

/** The context of a run under way, with what follows from it. */
interface Run extends RunContext {
  readonly pageSize: number;
  readonly messages: Messages;
}

interface Signals {
  /** The caller's. */
  readonly signal: AbortSignal;
  /** The caller's, or the time budget's. */
  readonly work: AbortSignal;
  /** That, or the word to leave: an answer that nobody waits for is asked for again. */
  readonly asking: AbortSignal;
}

/** One move: what the state asks for next. Those that only decide add to the journal; those that act are given back. */
function advance(
  journal: Journal,
  context: Run,
  { signal, work, asking }: Signals,
): AsyncGenerator<RunEvent | Ephemeral> | void {
  const { state } = journal;
  const final = isFinal(state);
  if (work.aborted && !final) return journal.add(signal.aborted ? cancelledNotice : timeNotice(context.budget));

  const last = stepsOf(state).at(-1);
  if (last?.answer) {
    const undecided = callParts(last).slice(callsOfStep(state, last.step).length);
    if (undecided.length > 0) return journal.add(...decideCalls(undecided, last, state, context));
    if (callsOfStep(state, last.step).some(({ finished }) => !finished)) {
      return runCalls(journal, context, work);
    }
  } else if (last && !final) {
    return askModel(journal, last, context, asking);
  }

  const plan = planStep(state, budgetUse(state, context));
  return plan.kind === "ask" ? nextStep(journal, plan, context) : finish(journal, plan, context);
}

function isFinal({ notices }: RunState): boolean {
  return notices.some((notice) => notice.final);
}

function callParts(step: StepTurn): readonly CallPart[] {
  return (step.answer?.parts ?? []).filter((part) => part.type === "call" || part.type === "invalid-call");
}

/** Calls of one answer that are made. They run in parallel, and no investigation asks as much at once. */
const mostCalls = 500;

const tooMany: DecidedCall = {
  target: { kind: "none" },
  arguments: {},
  decision: "deny",
  rule: "too many calls in one step",
  refusal: { outcome: "denied", message: `The call was not made: one step makes at most ${mostCalls}.` },
};

function decideCalls(
  parts: readonly CallPart[],
  step: StepTurn,
  state: RunState,
  context: Run,
): readonly CallDecided[] {
  const before = callsOfStep(state, step.step).length;
  return parts.map((part, index) => ({
    type: "call.decided",
    number: state.calls.length + 1 + index,
    step: step.step,
    callId: part.id,
    name: part.name,
    ...(before + index < mostCalls ? decideCall(part, step, context) : tooMany),
  }));
}

function nextStep(journal: Journal, plan: Plan & { kind: "ask" }, context: Run): void {
  const { state } = journal;
  const evicted = callsToEvict(state, { window: context.model.window, pageSize: context.pageSize });
  journal.add(
    ...(evicted.length > 0 ? [{ type: "results.evicted", calls: evicted } as const] : []),
    ...(plan.notice ? [{ type: "notice", ...plan.notice } as const] : []),
    ...(plan.say ? [{ type: "message.user", ...plan.say } as const] : []),
    { type: "step.started", step: state.earlier.steps + stepsOf(state).length + 1, toolChoice: plan.toolChoice },
  );
}

function finish(journal: Journal, plan: Plan & { kind: "finish" }, context: Run): void {
  if (plan.notice) journal.add({ type: "notice", ...plan.notice, final: true });
  const { started, report } = journal.state;
  if (!started) throw new Error("a run ends only after it has begun");
  if (!report) journal.add({ type: "report", report: makeReport(journal.state, started, context.catalog) });
  journal.add({ type: "run.ended", reason: plan.reason });
}

function budgetUse(state: RunState, { budget, price }: RunContext): BudgetUse {
  const steps = stepsOf(state);
  const { input, output } = state.usage;
  const lastUsage = steps.at(-1)?.answer?.usage;
  return {
    budget,
    steps: steps.length,
    tokens: input + output,
    lastStepTokens: lastUsage ? lastUsage.input + lastUsage.output : 0,
    time: state.active,
    ...(price ? { cost: runCost(state.usage, price) } : {}),
  };
}

const cancelledNotice = { type: "notice", kind: "cancelled", message: "the run was cancelled", final: true } as const;

function timeNotice(budget: Budget) {
  return { type: "notice", kind: "budget", ...timeUsedUp(budget), final: true } as const;
}

/** Aborts `end` after `ms`; resolves once it is aborted, by whomever. */
async function endAfter(ms: number, { end, clock }: { end: AbortController; clock: Clock }): Promise<void> {
  try {
    await clock.sleep(Math.max(0, ms), end.signal);
    end.abort(new Error("the time budget is used up"));
  } catch {
    // The run ended first: there is nothing left to end.
  }
}
