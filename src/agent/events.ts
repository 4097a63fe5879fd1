import type { Budget } from "../config/config.ts";
import type { JsonObject } from "../json/json.ts";
import type { AnswerPart, Finish, ToolChoice, Usage } from "../model/model.ts";
import type { CallOutcome } from "../report/callOutcome.ts";
import type { ServerFact } from "../report/coverage.ts";
import type { BudgetHit, DroppedSkill, Report } from "../report/report.ts";

/** One numbered fact of a run. Appended, and the append awaited, before anybody sees it. Plain JSON. */
export type RunEvent = Stamp & EventBody;

interface Stamp {
  readonly v: 1;
  /** 1, 2, 3... without a gap. */
  readonly seq: number;
  /** When it was appended, ms since the Unix epoch. */
  readonly at: number;
}

export type EventBody =
  | SessionCreated
  | RunStarted
  | UserMessage
  | StepStarted
  | StepAnswered
  | CallDecided
  | CallStarted
  | CallFinished
  | ResultsEvicted
  | Notice
  | Reported
  | RunEnded;

/**
 * What every run of a session has in common, fixed once: the first event of a stored session. The texts behind the digests
 * are in the store, so that a resume never depends on what is there now.
 */
export interface SessionCreated {
  readonly type: "session.created";
  readonly session: string;
  readonly inputs: SessionInputs;
  /** SHA-256 of each input's canonical JSON, by key, to tell which one was changed since. */
  readonly seals: Readonly<Record<keyof SessionInputs, string>>;
}

/** What a session's prompt and tools were made from. Keys that do not apply are null, so that a removed one is seen. */
export interface SessionInputs {
  /** Version of Korvus that made it. */
  readonly korvus: string;
  /** The commit that it is pinned to. */
  readonly workspace: { readonly name: string; readonly ref: string; readonly commit: string } | null;
  /** Files of the commit that are not in its scratch directory, and why. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
  /** Why a pinned session has no skills. */
  readonly noSkills: string | null;
  /** Servers that were connected, ascending: the filter of the catalog. */
  readonly connected: readonly string[];
  readonly servers: readonly ServerFact[];
  readonly dropped: readonly DroppedSkill[];
  /** Fingerprint of the tool definitions by server. */
  readonly fingerprints: Readonly<Record<string, string>>;
  /** SHA-256 of the catalog's text, which is JSON; of the system prompt; of the offered tools' canonical JSON. */
  readonly catalog: string;
  readonly prompt: string;
  readonly tools: string;
  readonly model: SessionModel;
  readonly budget: Budget;
  /** Values for holes in queries. */
  readonly set: Readonly<Record<string, string>>;
}

/** The model without its key, and whatever of it shapes its answers. */
export interface SessionModel {
  /** `provider/name`, or `runbook`. */
  readonly id: string;
  /** Context window, tokens. */
  readonly window: number;
  readonly maxOutput: number | null;
  readonly options: JsonObject;
}

/** One question of a session, or a run by itself: what it depends on, fixed at its start. */
export interface RunStarted {
  readonly type: "run.started";
  readonly run: string;
  /** Id of the session's message that it answers. */
  readonly message?: string;
  readonly question: string;
  readonly window: Window;
  readonly model: { readonly id: string; readonly window: number };
  readonly catalog: { readonly digest: string; readonly skills: number; readonly dropped: readonly DroppedSkill[] };
  /** SHA-256 of the system prompt's UTF-8 bytes, and its estimated size. */
  readonly prompt: { readonly digest: string; readonly tokens: number };
  readonly servers: readonly ServerFact[];
  /** Fingerprint of the tool definitions by server. */
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly budget: Budget;
  /** Random id of this run's result delimiters. */
  readonly delimiter: string;
}

/** The time under investigation and the time to compare it with; ms since the Unix epoch. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly baselineFrom: number;
}

/** Text that Korvus says to the model in the user's place. */
export interface UserMessage {
  readonly type: "message.user";
  readonly kind: "question" | "submit-report" | "last-step" | "repetition";
  readonly text: string;
}

interface StepStarted {
  readonly type: "step.started";
  readonly step: number;
  readonly toolChoice: ToolChoice;
}

interface StepAnswered {
  readonly type: "step.answered";
  readonly step: number;
  readonly parts: readonly AnswerPart[];
  readonly usage: Usage;
  readonly finish: Finish;
}

export interface CallDecided {
  readonly type: "call.decided";
  /** 1...n over the run, in the order in which the model asked. */
  readonly number: number;
  readonly step: number;
  /** Pairs the result with the model's call. */
  readonly callId: string;
  /** The name that the model used. */
  readonly name: string;
  readonly target: CallTarget;
  readonly arguments: JsonObject;
  readonly decision: "allow" | "deny";
  /** What decided, for people: `readOnlyHint`, `policy.allow grafana.*`... */
  readonly rule: string;
  /** With `deny`: how the call ends and what the model reads. */
  readonly refusal?: { readonly outcome: "denied" | "error"; readonly message: string };
}

export type CallTarget =
  | { readonly kind: "server"; readonly server: string; readonly tool: string; readonly readOnly: boolean }
  | { readonly kind: "built-in"; readonly tool: BuiltinName }
  /** No such tool, or arguments that are no object. */
  | { readonly kind: "none" };

export type BuiltinName = "call_tool" | "read_result" | "report";

interface CallStarted {
  readonly type: "call.started";
  readonly number: number;
}

export interface CallFinished {
  readonly type: "call.finished";
  readonly number: number;
  readonly outcome: CallOutcome;
  /** It reached the server, whatever came back. */
  readonly reached: boolean;
  /** Length of the result's text in UTF-16 code units; the text itself is kept by call number. */
  readonly size: number;
  /** ms. */
  readonly duration: number;
  /** What went wrong, in one line, where a server or tool said it. */
  readonly reason?: string;
  /** What the model reads where no result was kept: a refusal, a wrong argument, a built-in tool's word. */
  readonly message?: string;
}

/** Results that later steps name instead of showing. The results themselves are kept. */
interface ResultsEvicted {
  readonly type: "results.evicted";
  readonly calls: readonly number[];
}

export type NoticeKind =
  | "answer-cut"
  | "budget"
  | "cancelled"
  | "model-failed"
  | "model-retry"
  | "repetition"
  | "resumed";

/** Something that the reader of the report should know. */
export interface Notice {
  readonly type: "notice";
  readonly kind: NoticeKind;
  readonly message: string;
  /** With kind `budget`. */
  readonly budget?: BudgetHit["budget"];
  /** What a failed attempt at a step cost all the same. */
  readonly usage?: Usage;
  /** The run ends with what it has: nothing is asked or called after this. */
  readonly final?: true;
}

interface Reported {
  readonly type: "report";
  readonly report: Report;
}

export interface RunEnded {
  readonly type: "run.ended";
  readonly reason: "reported" | "no-report" | "budget" | "repetition" | "model-failed" | "cancelled";
}

/** Shown while it happens; never numbered, stored or replayed. */
export type Ephemeral = { readonly type: "delta"; readonly kind: "text" | "reasoning"; readonly delta: string };
