import type { AnswerPart, Finish, ToolChoice, Usage } from "../model/model.ts";
import type { CallFact } from "../report/callOutcome.ts";
import type { Report } from "../report/report.ts";
import type {
  CallDecided,
  CallFinished,
  Notice,
  RunEnded,
  RunEvent,
  RunStarted,
  SessionCreated,
  UserMessage,
} from "./events.ts";

/**
 * What the events of a session add up to. The loop keeps nothing else. Conversation and calls are those of all its runs, for
 * a further question builds on them; the rest is of the last run.
 */
export interface RunState {
  /** Number of the last event; 0 before the first. */
  readonly seq: number;
  /** Absent for a run outside a stored session. */
  readonly created?: SessionCreated;
  readonly started?: RunStarted;
  /** How much of the conversation belongs to earlier runs. */
  readonly earlier: { readonly turns: number; readonly steps: number; readonly calls: number };
  readonly startedAt: number;
  readonly lastAt: number;
  /** Time that the run was alive, ms: pauses between a crash and a resume do not count. */
  readonly active: number;
  readonly turns: readonly Turn[];
  /** By number: the call of number n stands at n - 1. */
  readonly calls: readonly CallState[];
  readonly usage: Usage;
  readonly evicted: ReadonlySet<number>;
  readonly notices: readonly Notice[];
  readonly report?: Report;
  readonly ended?: RunEnded;
}

type Turn = UserTurn | StepTurn;
interface UserTurn {
  readonly kind: "user";
  readonly message: UserMessage;
}
export interface StepTurn {
  readonly kind: "step";
  readonly step: number;
  readonly toolChoice: ToolChoice;
  readonly answer?: { readonly parts: readonly AnswerPart[]; readonly usage: Usage; readonly finish: Finish };
}

export interface CallState extends Omit<CallDecided, "type"> {
  readonly started: boolean;
  readonly finished?: CallFinished;
}

export const emptyState: RunState = {
  seq: 0,
  earlier: { turns: 0, steps: 0, calls: 0 },
  startedAt: 0,
  lastAt: 0,
  active: 0,
  turns: [],
  calls: [],
  usage: { input: 0, output: 0, cached: 0 },
  evicted: new Set(),
  notices: [],
};

/** The state after one more event. Pure. */
export function fold(state: RunState, event: RunEvent): RunState {
  const resumed = event.type === "notice" && event.kind === "resumed";
  const next: RunState = {
    ...state,
    seq: event.seq,
    lastAt: event.at,
    active: state.seq === 0 || resumed ? state.active : state.active + Math.max(0, event.at - state.lastAt),
  };
  switch (event.type) {
    case "session.created":
      return { ...next, created: event };
    case "run.started":
      return begun(next, event);
    case "message.user":
      return { ...next, turns: [...state.turns, { kind: "user", message: event }] };
    case "step.started":
      return { ...next, turns: [...state.turns, { kind: "step", step: event.step, toolChoice: event.toolChoice }] };
    case "step.answered": {
      const { parts, usage, finish } = event;
      const turns = state.turns.map((turn) =>
        turn.kind === "step" && turn.step === event.step ? { ...turn, answer: { parts, usage, finish } } : turn,
      );
      return { ...next, turns, usage: added(state.usage, usage) };
    }
    case "call.decided":
      return { ...next, calls: [...state.calls, { ...event, started: false }] };
    case "call.started":
      return { ...next, calls: changed(state.calls, event.number, { started: true }) };
    case "call.finished":
      return { ...next, calls: changed(state.calls, event.number, { finished: event }) };
    case "results.evicted":
      return { ...next, evicted: new Set([...state.evicted, ...event.calls]) };
    case "notice":
      return {
        ...next,
        notices: [...state.notices, event],
        usage: event.usage ? added(state.usage, event.usage) : state.usage,
      };
    case "report":
      return { ...next, report: event.report };
    case "run.ended":
      return { ...next, ended: event };
  }
}

/** A further question starts with budgets, notices and usage of its own. */
function begun({ report: _report, ended: _ended, ...state }: RunState, event: RunEvent & RunStarted): RunState {
  const steps = state.turns.filter(({ kind }) => kind === "step").length;
  return {
    ...state,
    started: event,
    startedAt: event.at,
    active: 0,
    usage: emptyState.usage,
    notices: [],
    earlier: { turns: state.turns.length, steps, calls: state.calls.length },
  };
}

/** What was said in the run so far, in order. */
export function turnsOf({ turns, earlier }: RunState): readonly Turn[] {
  return earlier.turns === 0 ? turns : turns.slice(earlier.turns);
}

/** The steps of the run so far, in order. */
export function stepsOf(state: RunState): readonly StepTurn[] {
  return turnsOf(state).filter((turn) => turn.kind === "step");
}

/** The last step of the session, of whichever run. */
export function lastStep({ turns }: RunState): StepTurn | undefined {
  return turns.findLast((turn) => turn.kind === "step");
}

/** The calls that a step asked for, in call order. */
export function callsOfStep(state: RunState, step: number): readonly CallState[] {
  return state.calls.filter((call) => call.step === step);
}

/** The run's calls of the `report` tool, in order. */
export function reportCalls({ calls, earlier }: RunState): readonly CallState[] {
  return calls.slice(earlier.calls).filter(({ target }) => target.kind === "built-in" && target.tool === "report");
}

/** The one whose arguments became the report. */
export function acceptedReport(state: RunState): CallState | undefined {
  return reportCalls(state).find(({ finished }) => finished?.outcome === "ok");
}

/** The session's finished calls as the report's checks see them. */
export function callFacts(state: RunState): readonly CallFact[] {
  const reported = acceptedReport(state)?.step;
  return state.calls.flatMap(({ number, step, target, finished }): readonly CallFact[] => {
    if (!finished) return [];
    const server = target.kind === "server" ? { server: target.server } : {};
    return [{ number, outcome: finished.outcome, ...server, ...(step === reported ? { unread: true } : {}) }];
  });
}

function changed(calls: readonly CallState[], number: number, change: Partial<CallState>): readonly CallState[] {
  return calls.map((call) => (call.number === number ? { ...call, ...change } : call));
}

function added(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    ...(a.estimated || b.estimated ? { estimated: true } : {}),
  };
}
