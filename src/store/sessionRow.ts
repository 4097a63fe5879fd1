import type { NewSession, SessionRow } from "./store.ts";
import { fromStored, toStored } from "./storedText.ts";
import type { SessionColumns } from "./tables.ts";

/** The row of a new session: nobody has it, and its first message waits. */
export function toColumns(session: NewSession): SessionColumns {
  return {
    id: toStored(session.id),
    created_at: session.createdAt,
    question: toStored(session.question),
    question_folded: toStored(fold(session.question)),
    workspace: orNull(session.workspace),
    ref: orNull(session.ref),
    workspace_ref: orNull(session.workspaceRef),
    no_skills: orNull(session.noSkills),
    model: toStored(session.model),
    catalog_digest: toStored(session.catalogDigest),
    prompt_digest: toStored(session.promptDigest),
    queued: session.queued ? 1 : 0,
    idempotency_key: orNull(session.idempotencyKey),
    request_digest: orNull(session.requestDigest),
    status: "waiting",
    updated_at: session.createdAt,
    epoch: 0,
    claim: null,
    owner: null,
    alive_at: null,
    last_seq: session.events.at(-1)?.seq ?? 0,
    messages: 1,
    revision: 1,
    cancel_requested_at: null,
    verdict: null,
    ended: null,
  };
}

export function fromColumns(row: SessionColumns): SessionRow {
  return {
    id: fromStored(row.id),
    createdAt: row.created_at,
    question: fromStored(row.question),
    ...text("workspace", row.workspace),
    ...text("ref", row.ref),
    ...text("workspaceRef", row.workspace_ref),
    ...text("noSkills", row.no_skills),
    model: fromStored(row.model),
    catalogDigest: fromStored(row.catalog_digest),
    promptDigest: fromStored(row.prompt_digest),
    queued: row.queued === 1,
    ...text("idempotencyKey", row.idempotency_key),
    ...text("requestDigest", row.request_digest),
    status: row.status,
    updatedAt: row.updated_at,
    epoch: row.epoch,
    ...text("owner", row.owner),
    ...(row.alive_at === null ? {} : { aliveAt: row.alive_at }),
    lastSeq: row.last_seq,
    messages: row.messages,
    revision: row.revision,
    ...(row.cancel_requested_at === null ? {} : { cancelRequestedAt: row.cancel_requested_at }),
    ...text("verdict", row.verdict),
    ...text("ended", row.ended),
  };
}

/** For a search without regard to case. */
export function fold(text: string): string {
  return text.toLowerCase();
}

export function orNull(text: string | undefined): string | null {
  return text === undefined ? null : toStored(text);
}

function text<K extends string>(key: K, stored: string | null): { readonly [P in K]?: string } {
  return stored === null ? {} : ({ [key]: fromStored(stored) } as { readonly [P in K]: string });
}
