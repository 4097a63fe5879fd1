/**
 * Rows of sessions, in one SQLite file or in PostgreSQL. It knows rows, not events: what stands in `body` columns is JSON
 * that others write and read. Every method that writes is durable when it resolves: it survives kill -9 and, as far as
 * the disk keeps its word, a power cut. Rejects with `StoreError`.
 */
export interface Store extends AsyncDisposable {
  readonly kind: "sqlite" | "postgres";

  /**
   * Keeps texts under their SHA-256 (hex, of the UTF-8 bytes); one that is kept already stays. Those that no session needs
   * go with the next `prune` that asks for their time.
   */
  putTexts(texts: readonly string[]): Promise<void>;
  text(digest: string): Promise<string | undefined>;

  /**
   * A new session with its texts, first events and first message, all or nothing. Where the idempotency key was used
   * before, or the id, nothing is written and the session of then is given. `created` tells which.
   */
  create(session: NewSession): Promise<{ readonly session: SessionRow; readonly created: boolean }>;
  session(id: string): Promise<SessionRow | undefined>;
  /** Sessions whose id starts so, at most `limit`: for people who type the beginning. */
  sessionsByPrefix(prefix: string, limit: number): Promise<readonly SessionRow[]>;
  /** Newest first. */
  list(query: SessionQuery): Promise<SessionPage>;
  /** How many sessions stand in each status. */
  counts(): Promise<Readonly<Record<SessionStatus, number>>>;

  /**
   * Takes a session for `owner`: its epoch grows by one, whoever held it before can write no more, and one that was waiting
   * is running. With `onlyIdleSince`, only where no owner gave a sign of life after that time (ms); else undefined, as for
   * a session that does not exist.
   */
  claim(id: string, owner: Owner, options?: { readonly onlyIdleSince?: number }): Promise<Claim | undefined>;
  /** A sign of life of the owner. Gives the ids of the claims that hold no longer, and those whose cancel was asked for. */
  heartbeat(
    claims: readonly Claim[],
    at: number,
  ): Promise<{ readonly lost: readonly string[]; readonly cancelled: readonly string[] }>;
  /** Lets go of a claim: the session has no owner then, and waits if it was running. Does nothing where it holds no longer. */
  release(claim: Claim): Promise<void>;

  /**
   * Appends events, keeps results and changes the session's row, in one transaction. Rejects, and keeps nothing, with
   * `StoreError` `fenced` when the claim holds no longer, and with `sequence` unless the last event's number is
   * `expectedSeq`. Appends of many sessions at once share a transaction; each fails or holds by itself. What was asked for
   * one session keeps its order.
   */
  append(claim: Claim, expectedSeq: number, addition: Addition): Promise<void>;
  /** Events after number `after`, in order, at most `limit`. */
  events(id: string, after: number, limit: number): Promise<readonly EventRow[]>;

  result(id: string, call: number): Promise<string | undefined>;
  /** By call number. */
  results(id: string): Promise<readonly ResultRow[]>;

  /**
   * A question for the session's owner, now or later; a session that had ended waits again. One whose id the session knows
   * already stays as it is. Rejects with `not-found`.
   */
  addMessage(session: string, message: MessageRow): Promise<void>;
  /** Messages in the order in which they came; the store numbers them 1, 2, 3. */
  messages(session: string): Promise<readonly (MessageRow & { readonly number: number })[]>;

  /**
   * Marks the session: its owner ends the run with the report so far. The mark goes when `SessionChange` takes it away. A
   * session that has ended stays as it is. Rejects with `not-found`.
   */
  requestCancel(id: string, at: number): Promise<void>;

  /**
   * Resolves when the session's `revision` is, or becomes, another than `since`; also across processes. Else after `wait` ms,
   * or when the signal aborts. Nothing is missed by whoever reads the row, then what hangs on it, then calls this with the
   * row's revision.
   */
  changed(id: string, since: { readonly revision: number; readonly wait: number }, signal: AbortSignal): Promise<void>;

  /** Sessions that wait for a worker: with a queue, not ended, and without a sign of life after `idleSince` (ms). Oldest first. */
  waiting(idleSince: number, limit: number): Promise<readonly SessionRow[]>;

  /**
   * Removes ended sessions that were last changed before `before` (ms) with all that is theirs, and texts that were put before
   * then and no session needs. Gives how many sessions.
   */
  prune(before: number): Promise<number>;

  /** A sign of life of a process that takes sessions, or that it takes none any more. */
  workerBeat(worker: WorkerRow): Promise<void>;
  workerGone(name: string): Promise<void>;
  /** Those that gave a sign of life after `aliveSince` (ms), by name. */
  workers(aliveSince: number): Promise<readonly WorkerRow[]>;

  /** Resolves when the store answers; for health checks. Rejects at once with `unavailable`, or with the signal's reason. */
  ping(signal: AbortSignal): Promise<void>;
  /** Its size on disk, bytes, where that can be told. */
  size(): Promise<number | undefined>;
}

/** `waiting`: for a worker or a person who resumes it. `running`: an owner has it. `ended`: every question has its report. */
export type SessionStatus = "waiting" | "running" | "ended";

/** A process that takes sessions. */
interface WorkerRow {
  readonly name: string;
  readonly version: string;
  readonly aliveAt: number;
  /** Sessions that it runs, and may run at once. */
  readonly running: number;
  readonly limit: number;
}

/** Who runs a session; for people. */
type Owner = { readonly name: string; readonly at: number };

/** The right to write to a session, while no later claim was made. */
export interface Claim {
  readonly session: string;
  readonly epoch: number;
  /** Number of the last event at the time of the claim. */
  readonly lastSeq: number;
}

export interface EventRow {
  /** 1, 2, 3... without a gap. */
  readonly seq: number;
  /** ms since the Unix epoch. */
  readonly at: number;
  /** The event as JSON. */
  readonly body: string;
}

interface MessageRow {
  /** The sender's own, so that sending twice is sending once. */
  readonly id: string;
  readonly at: number;
  /** JSON. */
  readonly body: string;
}

/** What is fixed when a session is made. */
export interface SessionFacts {
  /** 32 lower-case hex digits. */
  readonly id: string;
  readonly createdAt: number;
  /** The first question, redacted. */
  readonly question: string;
  /** Name of the workspace, the ref that was asked for, and the full commit that it was resolved to; absent when unpinned. */
  readonly workspace?: string;
  readonly ref?: string;
  readonly workspaceRef?: string;
  /** Why the session runs without skills although it is pinned. */
  readonly noSkills?: string;
  readonly model: string;
  /** Digests of texts in the store. */
  readonly catalogDigest: string;
  readonly promptDigest: string;
  /** A worker takes it by itself; without, only whoever made it or resumes it. */
  readonly queued: boolean;
  readonly idempotencyKey?: string;
  /** Digest of the request, to tell a repeated one from another with the same key. */
  readonly requestDigest?: string;
}

export interface NewSession extends SessionFacts {
  readonly texts: readonly string[];
  readonly events: readonly EventRow[];
  readonly message: MessageRow;
}

export interface SessionRow extends SessionFacts {
  readonly status: SessionStatus;
  readonly updatedAt: number;
  /** How often it was claimed. */
  readonly epoch: number;
  readonly owner?: string;
  /** Last sign of life of the owner, ms; absent without one. */
  readonly aliveAt?: number;
  readonly lastSeq: number;
  /** How many messages it has. */
  readonly messages: number;
  /** Grows with everything that changes but signs of life. */
  readonly revision: number;
  readonly cancelRequestedAt?: number;
  /** Of the last report. */
  readonly verdict?: string;
  /** Why the last run ended. */
  readonly ended?: string;
}

/** What one append adds to a session. */
export interface Addition {
  readonly events: readonly EventRow[];
  /** Each takes the place of an earlier one of the same call. */
  readonly results?: readonly ResultRow[];
  readonly change?: SessionChange;
}

export interface ResultRow {
  readonly call: number;
  /** JSON. */
  readonly body: string;
}

/** What an append changes in the row. */
export interface SessionChange {
  readonly status?: SessionStatus;
  /** With status `ended`: how many messages the writer knows of. Where the session has more, it becomes `waiting`. */
  readonly messages?: number;
  readonly verdict?: string;
  readonly ended?: string;
  readonly cancelRequested?: false;
}

export interface SessionQuery {
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string;
  readonly status?: SessionStatus;
  readonly workspace?: string;
  /** Text that the question holds, without regard to case. */
  readonly text?: string;
}

interface SessionPage {
  readonly sessions: readonly SessionRow[];
  /** Absent on the last page. */
  readonly next?: string;
}

export type StoreErrorCode =
  /** The claim holds no longer: another has the session. */
  | "fenced"
  /** The last event is another than expected. */
  | "sequence"
  | "not-found"
  /** One row cannot take this much. */
  | "too-large"
  /** Cannot be opened, reached, read or written; the message says what to do. */
  | "unavailable"
  /** Written by a later version of Korvus. */
  | "too-new"
  | "wrong-cursor";

/** Match on `code`; `message` is for people. It never holds a password. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
