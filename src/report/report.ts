import type { CallOutcome } from "./callOutcome.ts";

export const verdicts = ["inconclusive", "likely", "confirmed"] as const;
/** How sure a report is, weakest first. */
export type Verdict = (typeof verdicts)[number];

/** What a model submits. The runtime checks it and makes the `Report`; nothing of it is trusted. */
export interface ReportClaim {
  readonly summary: string;
  readonly verdict: Verdict;
  readonly findings: readonly ClaimedFinding[];
  /** What limits the answer: data that was not there, a window that was covered in part. */
  readonly limits: readonly string[];
  readonly nextSteps: readonly string[];
}

export interface ClaimedFinding {
  readonly statement: string;
  readonly evidence: readonly Citation[];
}

/** Call number and the server that the model says it went to. */
export interface Citation {
  readonly call: number;
  readonly server: string;
}

/**
 * The answer to a question. Holds no clock reading, duration or random id of ours, so that two runs over the same
 * answers give equal reports; those stand in the run beside it.
 */
export interface Report {
  readonly v: 1;
  readonly question: string;
  readonly verdict: Verdict;
  /** What the model claimed; higher than `verdict` when its citations did not hold. */
  readonly claimedVerdict: Verdict;
  readonly summary: string;
  readonly findings: readonly Finding[];
  /** What the model says limits its answer; what the runtime knows stands in `coverage`. */
  readonly limits: readonly string[];
  readonly nextSteps: readonly string[];
  /** Loaded skills whose server was invoked, in catalog order. Skills without a server are never credited. */
  readonly skillsUsed: readonly string[];
  /** Of those, the ones whose server's calls a supported finding cites. */
  readonly skillsCited: readonly string[];
  readonly catalog: { readonly digest: string; readonly skills: number };
  /** The commit whose skills and files it was made with; absent when unpinned. */
  readonly workspace?: { readonly name: string; readonly ref: string; readonly commit: string };
  readonly coverage: Coverage;
}

export interface Finding {
  readonly statement: string;
  readonly evidence: readonly Citation[];
  /** Supported only if there is a citation and every one holds. */
  readonly status: "supported" | "unsupported";
  /** One sentence for each citation that does not hold; empty when supported. */
  readonly problems: readonly string[];
}

/** What was looked at and what was not. Written by the runtime, never by a model. */
interface Coverage {
  readonly servers: readonly ServerCoverage[];
  readonly skillsDropped: readonly DroppedSkill[];
  /** Why a session that is pinned to a commit had no skills. */
  readonly noSkills?: string;
  /** Files of the commit that could not be looked at, and why. */
  readonly leftOut?: readonly { readonly path: string; readonly reason: string }[];
  /** Budgets and limits that were hit, in order. */
  readonly budgets: readonly BudgetHit[];
  /** Anything else that makes the report less than it could be, in order, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * `answered`: at least one call brought data. `empty`: calls succeeded, none brought data. `failed`: none succeeded.
 * `not asked`: connected, but no call reached it. `not connected`: never available to this run.
 */
export type ServerState = "answered" | "empty" | "failed" | "not asked" | "not connected";

export interface ServerCoverage {
  readonly server: string;
  readonly state: ServerState;
  /** Number of calls by outcome; outcomes that did not occur are left out. */
  readonly calls: Readonly<Partial<Record<CallOutcome, number>>>;
  readonly reason?: string;
}

export interface DroppedSkill {
  readonly name: string;
  readonly mcpServer: string;
  readonly reason: string;
}

export interface BudgetHit {
  readonly budget: "steps" | "tokens" | "time" | "cost" | "window";
  readonly message: string;
}
