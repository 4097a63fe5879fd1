import type { RunEvent, Window } from "../agent/events.ts";
import type { RunSummary } from "../agent/runSummary.ts";
import type { Budget } from "../config/config.ts";
import type { Report } from "../report/report.ts";
import type { SessionQuery, SessionRow } from "../store/store.ts";

/** Everything that is shown or asked of sessions, by the API and by the command line alike. */
export interface Sessions {
  /**
   * Makes a session: resolves its workspace's ref, reads its skills, fixes its prompt, and stores all of it. Nothing runs
   * yet; with `queued` a worker takes it. The same idempotency key gives the same session again. Rejects with
   * `SessionError`, `WorkspaceError` or `StoreError`.
   */
  create(request: CreateSession, signal: AbortSignal): Promise<SessionRow>;
  /** `id` may be the beginning of an id that only one session has. Rejects with `not-found` or `ambiguous`. */
  get(id: string): Promise<SessionRow>;
  list(query: SessionQuery): Promise<{ readonly sessions: readonly SessionRow[]; readonly next?: string }>;
  /**
   * The events after number `after`, and those that follow while the session has questions open. Ends after the event that
   * ends its last run; with `follow` it waits for further questions until the signal aborts. Whoever leaves cancels nothing.
   */
  watch(id: string, options: WatchOptions, signal: AbortSignal): AsyncIterable<RunEvent>;
  /** A further question for the session, with the same catalog and prompt. The same message id twice is one question. */
  send(id: string, question: Question & { readonly messageId?: string }): Promise<SessionRow>;
  /** The run under way, or the one that would come, ends in a report of what is known. */
  cancel(id: string): Promise<SessionRow>;
  /** The system prompt as it was given to the model, byte for byte, and what it was made from. */
  prompt(id: string): Promise<SessionPrompt>;
  /** The report of the last run that ended, with that run; undefined before the first. */
  report(id: string): Promise<{ readonly report: Report; readonly run: RunSummary } | undefined>;
  /** A tool result as it was kept, JSON; undefined where none was. */
  result(id: string, call: number): Promise<unknown>;
  /** All that is kept of the session: the text that `readExport` reads, in pieces. */
  export(id: string): AsyncIterable<string>;
}

interface WatchOptions {
  readonly after: number;
  readonly follow?: boolean;
}

/** The time under investigation, as it was asked for: `since` ms before now, or from and to. */
export interface WindowRequest {
  readonly since?: number;
  readonly from?: string;
  readonly to?: string;
}

export interface Question {
  readonly question: string;
  readonly window?: WindowRequest;
}

export interface CreateSession extends Question {
  /** Pins the session to a commit; without, it gets the deployment's catalog. */
  readonly workspace?: { readonly name: string; readonly ref?: string };
  /** `provider/name` or `runbook`; default: the configuration's. */
  readonly model?: string;
  /** Each at most what the configuration allows. */
  readonly budget?: Partial<Pick<Budget, "steps" | "tokens" | "time" | "cost">>;
  /** Values for the holes in skills' queries; runbook reads them. */
  readonly set?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  readonly queued: boolean;
}

interface SessionPrompt {
  readonly text: string;
  /** SHA-256 of its UTF-8 bytes. */
  readonly digest: string;
  readonly tokens: number;
  readonly catalogDigest: string;
}

/** A question under way, as it stands in the store's message. */
export interface QuestionMessage {
  readonly question: string;
  readonly window: Window;
}

export type SessionErrorCode =
  | "not-found"
  /** The beginning of several ids. */
  | "ambiguous"
  /** The idempotency key was used for another request. */
  | "key-reused"
  /** Question, window, model or budget cannot be meant. */
  | "invalid"
  /** Another process is running it. */
  | "busy"
  /** What is stored is not what it says it is. */
  | "damaged";

/** Match on `code`; `message` is for people. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;

  constructor(code: SessionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
