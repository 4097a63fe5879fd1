import type { Clock } from "../clock/clock.ts";
import type { Budget } from "../config/config.ts";
import type { Model } from "../model/model.ts";
import type { ServerFact } from "../report/coverage.ts";
import type { DroppedSkill } from "../report/report.ts";
import type { Catalog } from "../skill/catalog.ts";
import type { EventLog } from "./eventLog.ts";
import type { Window } from "./events.ts";
import type { ExecuteContext } from "./executeCall.ts";
import type { Policy } from "./policy.ts";
import type { Prompt } from "./prompt.ts";

/** What a run works with. Everything is fixed for the run. */
export interface RunContext extends Omit<ExecuteContext, "pageSize"> {
  readonly question: string;
  /** Id of the session's message that the question came with: a log whose last run answered another goes on with a new run. */
  readonly message?: string;
  readonly window: Window;
  readonly model: Model;
  /** The system prompt, made once for the run; a resumed run must be given the same. */
  readonly prompt: Prompt;
  readonly catalog: Pick<Catalog, "skills" | "digest">;
  readonly skillsDropped: readonly DroppedSkill[];
  readonly servers: readonly ServerFact[];
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly policy: Policy;
  readonly budget: Budget;
  /** USD per million tokens; without it costs are not known. */
  readonly price?: { readonly input: number; readonly output: number };
  readonly log: EventLog;
  /**
   * Once it aborts the run stops where it is, without an end: another process goes on from the log. What a call answers
   * within a second is kept.
   */
  readonly leave?: AbortSignal;
  readonly clock: Clock;
}
