/** The tables as they are read through kysely: the same in SQLite and PostgreSQL. Texts are as `toStored` made them. */
export interface Tables {
  readonly sessions: SessionColumns;
  readonly session_texts: { readonly session: string; readonly digest: string };
  readonly events: {
    readonly session: string;
    readonly seq: number;
    /** Of the claim that wrote it; 0 for those that the session was made with. */
    readonly epoch: number;
    readonly at: number;
    readonly body: string;
  };
  readonly results: { readonly session: string; readonly call: number; readonly body: string };
  readonly messages: {
    readonly session: string;
    readonly number: number;
    readonly id: string;
    readonly at: number;
    readonly body: string;
  };
  readonly workers: {
    readonly name: string;
    readonly version: string;
    readonly alive_at: number;
    readonly running: number;
    /** How many at once, at most. */
    readonly most: number;
  };
  /** `kept_at`: when it was last put, so that `prune` leaves alone what a session is just being made of. */
  readonly texts: { readonly digest: string; readonly kept_at: number; readonly body: string };
}

export interface SessionColumns {
  readonly id: string;
  readonly created_at: number;
  readonly question: string;
  /** In lower case, for the search: SQLite folds ASCII only, PostgreSQL by its locale. */
  readonly question_folded: string;
  readonly workspace: string | null;
  readonly ref: string | null;
  readonly workspace_ref: string | null;
  readonly no_skills: string | null;
  readonly model: string;
  readonly catalog_digest: string;
  readonly prompt_digest: string;
  /** 0 or 1. */
  readonly queued: number;
  readonly idempotency_key: string | null;
  readonly request_digest: string | null;
  readonly status: "waiting" | "running" | "ended";
  readonly updated_at: number;
  readonly epoch: number;
  /** Random id of the last claim: a claim that is sent again finds itself. */
  readonly claim: string | null;
  readonly owner: string | null;
  readonly alive_at: number | null;
  readonly last_seq: number;
  readonly messages: number;
  readonly revision: number;
  readonly cancel_requested_at: number | null;
  readonly verdict: string | null;
  readonly ended: string | null;
}
