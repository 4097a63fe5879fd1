import { systemPrompt } from "../agent/systemPrompt.ts";
import { checkListen, type RunningApi, startApi } from "../api/startApi.ts";
import type { Config } from "../config/config.ts";
import { fleetLimits } from "../fleet/fleetLimits.ts";
import type { LimitRule } from "../fleet/limitRules.ts";
import { localLimits } from "../fleet/localLimits.ts";
import { localQueue } from "../fleet/localQueue.ts";
import { pgBossQueue } from "../fleet/pgBossQueue.ts";
import type { Queue } from "../fleet/queue.ts";
import { estimateTokens } from "../model/estimateTokens.ts";
import { deadAfter } from "../session/claims.ts";
import { droppedSkills } from "../session/facts.ts";
import { storedSessions } from "../session/sessions.ts";
import { startWorker, type Worker } from "../session/worker.ts";
import type { DeploymentOptions } from "./deployment.ts";
import { type Grounds, openGrounds } from "./grounds.ts";
import { housekeeping } from "./housekeeping.ts";
import { version } from "./version.ts";

export interface ServiceOptions extends DeploymentOptions {
  /** Serves the API, too; else it only takes sessions. */
  readonly api: boolean;
}

/** A process that takes sessions, until it is told to stop. */
export interface Service extends AsyncDisposable {
  readonly grounds: Grounds;
  readonly worker: Worker;
  /** Absent for a worker alone. */
  readonly api?: RunningApi;
  /** Takes no more; gives sessions under way `patience` ms to end, the rest goes on elsewhere. */
  drain(patience: number): Promise<void>;
}

/** A worker of its own needs a store that several processes share a queue in. */
class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code = "needs-postgres";
}

/** How long clients get to end when the process stops, ms. */
const lastRequests = 2_000;

/**
 * `korvus serve` and `korvus worker`: the start-up order is that of everything else (configuration, store, MCP, catalog), then
 * the queue, the worker, and last the API. Nothing is left running where one of them fails.
 */
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  const { clock, log } = options;
  const { database } = config.store;
  if (options.api) checkListen({ listen: config.server, tokens: config.server.tokens });
  if (!options.api && database.kind !== "postgres") {
    throw new ServiceError(
      "a worker of its own needs PostgreSQL: set store.url to postgres://...\nwith SQLite, korvus serve takes the sessions itself",
    );
  }
  await using stack = new AsyncDisposableStack();
  const rules = limitRules(config);
  const limits =
    database.kind === "postgres"
      ? stack.use(await fleetLimits({ url: database.url, rules, clock, log }))
      : localLimits({ rules, clock });
  const grounds = stack.use(await openGrounds(config, { ...options, limits }));
  const queue: Queue = stack.use(
    database.kind === "postgres"
      ? await pgBossQueue({ url: database.url, name: "sessions", clock, log })
      : localQueue({ clock, log, waiting: async () => await waitingKeys(grounds) }),
  );
  const worker = stack.use(await startWorker(queue, grounds, config.limits.sessions));
  stack.use(await housekeeping({ queue, grounds, config, worker }));
  const api = options.api ? await startApi(apiOptions(grounds, queue, config)) : undefined;
  if (api) stack.defer(() => api.close(lastRequests));
  const owned = stack.move();
  return {
    grounds,
    worker,
    ...(api ? { api } : {}),
    drain: (patience) => worker.drain(patience),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Sessions that no process has: new ones, and those whose process died. */
async function waitingKeys({ store, clock }: Grounds): Promise<readonly string[]> {
  return (await store.waiting(clock.now() - deadAfter, 500)).map(({ id }) => id);
}

function limitRules({ limits: { models, servers } }: Config): readonly LimitRule[] {
  return [
    ...Object.entries(models).map(([name, limit]) => ({ key: `model:${name}`, ...limit })),
    ...Object.entries(servers).map(([name, limit]) => ({ key: `server:${name}`, ...limit })),
  ];
}

function apiOptions(grounds: Grounds, queue: Queue, { server }: Config): Parameters<typeof startApi>[0] {
  const { store, registry, catalog, models, workspaces, log, clock } = grounds;
  const system = {
    version,
    catalog,
    dropped: droppedSkills(catalog, registry),
    model: models.describe(undefined).id,
    promptTokens: estimateTokens(systemPrompt(catalog)),
    servers: () => registry.states(),
    store,
  };
  return {
    listen: server,
    tokens: server.tokens,
    origins: server.origins,
    sessions: storedSessions(grounds, queue),
    workspaces,
    system,
    ready: (signal) => store.ping(signal),
    log,
    clock,
  };
}
