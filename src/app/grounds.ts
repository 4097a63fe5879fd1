import { hostname } from "node:os";
import type { Limits } from "../agent/limits.ts";
import { noLimits } from "../agent/limits.ts";
import type { Config } from "../config/config.ts";
import { StoredTexts } from "../session/storedTexts.ts";
import type { Surroundings } from "../session/surroundings.ts";
import { openStore } from "../store/openStore.ts";
import type { Store } from "../store/store.ts";
import { createWorkspaces } from "../workspace/createWorkspaces.ts";
import type { Workspaces } from "../workspace/workspace.ts";
import { type Deployment, type DeploymentOptions, startDeployment } from "./deployment.ts";
import { configuredModels } from "./models.ts";
import { version } from "./version.ts";

/** All that sessions are made from and run in. Disposing ends the servers, then closes the store. */
export interface Grounds extends Surroundings, AsyncDisposable {
  readonly deployment: Deployment;
}

/**
 * The whole start-up: configuration, store, MCP, catalog. What is wrong with any of them is told before anything is asked,
 * and nothing is left running then.
 */
export async function openGrounds(
  config: Config,
  options: DeploymentOptions & Pick<GroundsParts, "limits">,
): Promise<Grounds> {
  await using stack = new AsyncDisposableStack();
  const { clock, log } = options;
  const store = stack.use(await openStore(config.store.database, { clock, log }));
  const workspaces = stack.use(await openWorkspaces(config, options));
  const deployment = stack.use(await startDeployment(config, options));
  const surroundings = surroundingsOf(deployment, { ...options, store, workspaces });
  const owned = stack.move();
  return { ...surroundings, deployment, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The workspaces of a configuration. Where none are configured nothing is touched. */
export async function openWorkspaces(
  { workspaces: sources, store: { directory } }: Config,
  { clock, log, environment }: Pick<DeploymentOptions, "clock" | "log" | "environment">,
): Promise<Workspaces> {
  return await createWorkspaces({ sources, directory, clock, log, environment });
}

export interface GroundsParts extends Pick<DeploymentOptions, "clock" | "log" | "environment"> {
  readonly store: Store;
  readonly workspaces: Workspaces;
  readonly limits?: Limits;
}

/** What sessions need, of a deployment that stands. */
export function surroundingsOf(
  { config, registry, catalog, redact, recordedNow }: Deployment,
  { store, workspaces, clock, log, environment, limits = noLimits }: GroundsParts,
): Surroundings {
  return {
    version,
    config,
    store,
    texts: new StoredTexts(store),
    workspaces,
    registry,
    catalog,
    models: configuredModels(config, { env: environment, log }),
    limits,
    redact,
    clock,
    log,
    // To the second: what people and backends write, and all that a window needs.
    now: () => recordedNow ?? Math.floor(clock.now() / 1000) * 1000,
    owner: `${hostname()}-${process.pid}`,
  };
}
