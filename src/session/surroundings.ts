import type { SessionModel } from "../agent/events.ts";
import type { RunContext } from "../agent/runContext.ts";
import type { Clock } from "../clock/clock.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../log/log.ts";
import type { Registry } from "../mcp/registry.ts";
import type { Model } from "../model/model.ts";
import type { Redact } from "../redact/redact.ts";
import type { Catalog } from "../skill/catalog.ts";
import type { Store } from "../store/store.ts";
import type { Workspaces } from "../workspace/workspace.ts";
import type { StoredTexts } from "./storedTexts.ts";

/** What start-up left standing, for sessions to be made from and run in. */
export interface Surroundings {
  /** Version of Korvus. */
  readonly version: string;
  readonly config: Pick<Config, "budget" | "policy" | "runbook" | "skills">;
  readonly store: Store;
  readonly texts: StoredTexts;
  readonly workspaces: Workspaces;
  readonly registry: Pick<Registry, "connected" | "states" | "tools" | "call">;
  /** The deployment catalog: for unpinned sessions, and only for them. */
  readonly catalog: Catalog;
  readonly models: Models;
  readonly limits: RunContext["limits"];
  readonly redact: Redact;
  readonly clock: Clock;
  readonly log: Log;
  /** What a question asked now takes as now, ms to the second: the recording's time where servers are recordings. */
  now(): number;
  /** Who runs sessions here; for people. */
  readonly owner: string;
}

/** The models that a configuration allows for. */
export interface Models {
  /** What is stored of the model of that name, or of the configured one. Rejects with `SessionError` `invalid` for a name that means none. */
  describe(name: string | undefined): SessionModel;
  /** Ready to be asked; undefined for `runbook`, which is made for each run. Rejects where a key is missing. */
  open(model: SessionModel): Promise<OpenModel | undefined>;
}

export interface OpenModel {
  readonly model: Model;
  /** USD per million tokens. */
  readonly price?: { readonly input: number; readonly output: number };
}
