import type { MessageInitShape } from "@bufbuild/protobuf";
import type { WindowRequest } from "../session/session.ts";
import type { SessionStatus as RowStatus, SessionRow } from "../store/store.ts";
import { type Session, type SessionSchema, SessionStatus, type Window, type WindowSchema } from "../wire/session_pb.ts";

const statuses = {
  waiting: SessionStatus.WAITING,
  running: SessionStatus.RUNNING,
  ended: SessionStatus.ENDED,
} as const satisfies Record<RowStatus, SessionStatus>;

/** A session as the API shows it. */
export function sessionToWire(row: SessionRow): MessageInitShape<typeof SessionSchema> {
  const { workspace, ref = "", workspaceRef: commit = "", aliveAt } = row;
  return {
    id: row.id,
    status: statuses[row.status],
    question: row.question,
    ...(workspace === undefined ? {} : { workspace: { name: workspace, ref, commit } }),
    ...(row.noSkills === undefined ? {} : { noSkills: row.noSkills }),
    model: row.model,
    catalogDigest: row.catalogDigest,
    promptDigest: row.promptDigest,
    createdAt: BigInt(row.createdAt),
    updatedAt: BigInt(row.updatedAt),
    lastSequence: BigInt(row.lastSeq),
    ...(row.owner === undefined ? {} : { owner: row.owner }),
    ...(aliveAt === undefined ? {} : { aliveAt: BigInt(aliveAt) }),
    cancelRequested: row.cancelRequestedAt !== undefined,
    ...(row.verdict === undefined ? {} : { verdict: row.verdict }),
    ...(row.ended === undefined ? {} : { ended: row.ended }),
    messages: row.messages,
    queued: row.queued,
    revision: BigInt(row.revision),
    epoch: row.epoch,
  };
}

/** The way back, for a client. */
export function sessionFromWire(session: Session): SessionRow {
  const { workspace, noSkills, owner, aliveAt, verdict, ended, updatedAt } = session;
  return {
    id: session.id,
    status: statusFromWire(session.status) ?? "waiting",
    question: session.question,
    ...(workspace ? { workspace: workspace.name, ref: workspace.ref, workspaceRef: workspace.commit } : {}),
    ...(noSkills === undefined ? {} : { noSkills }),
    model: session.model,
    catalogDigest: session.catalogDigest,
    promptDigest: session.promptDigest,
    createdAt: Number(session.createdAt),
    updatedAt: Number(updatedAt),
    lastSeq: Number(session.lastSequence),
    ...(owner === undefined ? {} : { owner }),
    ...(aliveAt === undefined ? {} : { aliveAt: Number(aliveAt) }),
    ...(session.cancelRequested ? { cancelRequestedAt: Number(updatedAt) } : {}),
    ...(verdict === undefined ? {} : { verdict }),
    ...(ended === undefined ? {} : { ended }),
    messages: session.messages,
    queued: session.queued,
    revision: Number(session.revision),
    epoch: session.epoch,
  };
}

/** Undefined for any. */
export function statusFromWire(status: SessionStatus): RowStatus | undefined {
  const found = Object.entries(statuses).find(([, wire]) => wire === status);
  return found?.[0] as RowStatus | undefined;
}

export function statusToWire(status: RowStatus | undefined): SessionStatus {
  return status === undefined ? SessionStatus.UNSPECIFIED : statuses[status];
}

export function windowFromWire({ sinceSeconds, from, to }: Window): WindowRequest {
  return {
    ...(sinceSeconds === undefined ? {} : { since: Number(sinceSeconds) * 1000 }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

export function windowToWire({ since, from, to }: WindowRequest): MessageInitShape<typeof WindowSchema> {
  return {
    ...(since === undefined ? {} : { sinceSeconds: BigInt(Math.max(1, Math.round(since / 1000))) }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}
