import { join } from "node:path";
import { noLimits } from "../../src/agent/limits.ts";
import { systemClock } from "../../src/clock/clock.ts";
import { defaultConfig } from "../../src/config/defaultConfig.ts";
import { memoryLog } from "../../src/log/log.ts";
import { connectServer } from "../../src/mcp/connectServer.ts";
import { ProcessGroups } from "../../src/mcp/processGroups.ts";
import { Registry } from "../../src/mcp/registry.ts";
import { scriptedModel } from "../../src/model/scriptedModel.ts";
import { redactor, type Secret } from "../../src/redact/redact.ts";
import { StoredTexts } from "../../src/session/storedTexts.ts";
import type { Surroundings } from "../../src/session/surroundings.ts";
import { load } from "../../src/skill/catalog.ts";
import { openStore } from "../../src/store/openStore.ts";
import { createWorkspaces } from "../../src/workspace/createWorkspaces.ts";
import type { WorkspaceSource } from "../../src/workspace/workspace.ts";
import { probeServer } from "./probeRun.ts";
import { tempDir } from "./tempDir.ts";

export interface GroundsOptions {
  readonly steps: Parameters<typeof scriptedModel>[0]["steps"];
  /** Files of the deployment's skills directory. */
  readonly skills?: Readonly<Record<string, string>>;
  /** Repository by workspace name. */
  readonly workspaces?: Readonly<Record<string, string>>;
  /** Default: a SQLite file of its own. */
  readonly database?: Parameters<typeof openStore>[0];
  /** Names under which the probe server is connected; default `probe`. */
  readonly servers?: readonly string[];
  readonly secrets?: readonly Secret[];
  /** Where everything goes, the calls that reach the probe server included; default: a directory of its own. */
  readonly directory?: string;
  readonly overrides?: Partial<Surroundings>;
}

/**
 * What sessions are made from and run in: a real store, real git, and the probe server under one or more names; only the
 * model is scripted.
 */
export async function sessionGrounds({
  steps,
  skills = { "deployed.md": "---\nname: deployed\nmcp_server: probe\n---\nMARKER of the deployment." },
  workspaces = {},
  database,
  servers = ["probe"],
  secrets = [],
  directory: given,
  overrides = {},
}: GroundsOptions) {
  await using stack = new AsyncDisposableStack();
  const files = Object.fromEntries(Object.entries(skills).map(([name, text]) => [`skills/${name}`, text]));
  const dir = given === undefined ? stack.use(await tempDir(files)) : { path: given };
  const log = memoryLog();
  const clock = systemClock;
  const redact = redactor(secrets);
  const store = stack.use(
    await openStore(database ?? { kind: "sqlite", path: join(dir.path, "state/korvus.db") }, { clock, log }),
  );
  const sources = Object.entries(workspaces).map(
    ([name, repository]): WorkspaceSource => ({
      name,
      repository,
      maxFiles: 20_000,
      maxBytes: 2 ** 28,
      maxFileBytes: 2 ** 23,
    }),
  );
  const environment = process.env;
  const directory = join(dir.path, "state");
  const git = stack.use(await createWorkspaces({ sources, directory, clock, log, environment }));
  const registry = stack.use(
    new Registry({
      servers: servers.map((name) => probeServer(dir.path, name)),
      connect: connectServer({
        version: "0",
        groups: new ProcessGroups(),
        environment,
        recording: () => Promise.reject(new Error("no recordings here")),
      }),
      redact,
      clock,
      log,
      connectTimeout: 40_000,
      callTimeout: 10_000,
    }),
  );
  await registry.start(AbortSignal.timeout(60_000));
  const model = scriptedModel({ steps });
  const surroundings: Surroundings = {
    version: "1.2.3",
    config: { ...defaultConfig(dir.path), policy: { allow: ["*.write*"], ask: [], deny: [] } },
    store,
    texts: new StoredTexts(store),
    workspaces: git,
    registry,
    catalog: await load(join(dir.path, "skills"), registry.connected(), log),
    models: {
      describe: () => ({ id: model.id, window: model.window, maxOutput: null, options: {} }),
      open: async () => ({ model }),
    },
    limits: noLimits,
    redact,
    clock,
    log,
    now: () => Math.floor(clock.now() / 1000) * 1000,
    owner: `test-${process.pid}`,
    ...overrides,
  };
  const owned = stack.move();
  return {
    surroundings,
    log,
    directory: dir.path,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
