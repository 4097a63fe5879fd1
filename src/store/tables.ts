/** A row of the table `sessions`, the same in SQLite and PostgreSQL. Texts are as `toStored` made them. */
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

/** By name: a later version of Korvus may add others while this one runs. */
export const sessionColumns = [
  "id",
  "created_at",
  "question",
  "question_folded",
  "workspace",
  "ref",
  "workspace_ref",
  "no_skills",
  "model",
  "catalog_digest",
  "prompt_digest",
  "queued",
  "idempotency_key",
  "request_digest",
  "status",
  "updated_at",
  "epoch",
  "claim",
  "owner",
  "alive_at",
  "last_seq",
  "messages",
  "revision",
  "cancel_requested_at",
  "verdict",
  "ended",
] as const satisfies readonly (keyof SessionColumns)[];
