import type { ServerState } from "../mcp/registry.ts";
import type { DroppedSkill } from "../report/report.ts";
import type { SkillSet } from "../session/catalogText.ts";
import type { Store } from "../store/store.ts";

/** What the API tells of the process that serves it. */
export interface SystemView {
  readonly version: string;
  /** The deployment catalog, in memory. */
  readonly catalog: SkillSet;
  readonly dropped: readonly DroppedSkill[];
  /** Of the configured one. */
  readonly model: string;
  readonly promptTokens: number;
  servers(): readonly ServerState[];
  readonly store: Pick<Store, "kind" | "size" | "counts" | "workers">;
}
