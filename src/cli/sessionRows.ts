import { deadAfter } from "../session/claims.ts";
import type { SessionRow } from "../store/store.ts";
import { table } from "./table.ts";
import { shortened } from "./text.ts";

/** How a session is, for people: one whose owner gives no sign of life is stalled. */
export function stateOf({ status, aliveAt, cancelRequestedAt }: SessionRow, now: number): string {
  if (status === "ended") return "ended";
  if (cancelRequestedAt !== undefined) return "ending";
  if (status === "waiting") return "waiting";
  return aliveAt === undefined || aliveAt < now - deadAfter ? "stalled" : "running";
}

/** `3m`, `2h`, `5d`: how long ago. */
function age(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes}m`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / (24 * 60))}d`;
}

/** Sessions as a table. */
export function sessionTable(rows: readonly SessionRow[], { now, width }: { now: number; width: number }): string {
  return table(
    ["id", "age", "state", "verdict", "workspace", "question"],
    rows.map((row) => [
      row.id.slice(0, 12),
      age(now - row.createdAt),
      stateOf(row, now),
      row.verdict ?? "-",
      row.workspaceRef === undefined ? "-" : `${row.workspace}@${row.workspaceRef.slice(0, 7)}`,
      shortened(row.question.replace(/\s+/g, " "), Math.max(20, width - 70)),
    ]),
  );
}
