import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import { Git } from "./git.ts";
import { Mirror } from "./mirror.ts";
import { repositoryAddress } from "./repositoryAddress.ts";
import { resolveId, resolveRef } from "./resolveRef.ts";
import { ScratchDirectories } from "./scratchDirectories.ts";
import { seedTree } from "./seedTree.ts";
import { type ScratchTree, WorkspaceError, type WorkspaceSource, type Workspaces } from "./workspace.ts";

export interface WorkspacesOptions {
  readonly sources: readonly WorkspaceSource[];
  /** State directory, made where there is none: mirrors in `mirrors`, trees of sessions in `scratch`. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Of our process: git's credential helpers and ssh need it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Of one command of git, ms. Default five minutes: the first fetch of a large repository. */
  readonly timeout?: number;
}

interface Known {
  readonly source: WorkspaceSource;
  readonly mirror: Mirror;
}

/**
 * The workspaces of a configuration. Nothing is touched, and git is not needed, before the first of them is used; then
 * what crashed processes left is removed. Rejects with `WorkspaceError` for an address that cannot be meant.
 */
export async function createWorkspaces(options: WorkspacesOptions): Promise<Workspaces> {
  const { sources, directory, clock, log, environment, timeout = 300_000 } = options;
  const git = new Git(environment);
  const known = new Map(sources.map((source) => [source.name, { source, mirror: mirrorOf(source) } satisfies Known]));
  const onExit = () => git.end();
  process.once("exit", onExit);
  let scratch: ScratchDirectories | undefined;

  function mirrorOf({ name, repository }: WorkspaceSource): Mirror {
    const address = repositoryAddress(repository);
    if ("refused" in address) throw new WorkspaceError("unreachable", `workspace ${name}: ${address.refused}`);
    return new Mirror({ name, address, directory: join(directory, "mirrors"), git, clock, log, timeout });
  }

  function find(name: string): Known {
    const found = known.get(name);
    if (found) {
      prepare();
      return found;
    }
    const names = [...known.keys()].join(", ");
    const hint = names === "" ? "none is configured: see workspaces in korvus.yaml" : `configured: ${names}`;
    throw new WorkspaceError("unknown-workspace", `there is no workspace named ${JSON.stringify(name)} (${hint})`);
  }

  function prepare(): ScratchDirectories {
    if (scratch) return scratch;
    try {
      mkdirSync(join(directory, "mirrors"), { recursive: true, mode: 0o700 });
      const { directories, removed } = ScratchDirectories.open(join(directory, "scratch"), clock.id());
      if (removed.length > 0)
        log.info({ removed: removed.length }, "scratch directories of ended processes are removed");
      scratch = directories;
      return directories;
    } catch (cause) {
      const message = `${directory} cannot be used for workspaces: ${(cause as Error).message}`;
      throw new WorkspaceError("no-directory", `${message}\nstore.directory in korvus.yaml names another place`, {
        cause,
      });
    }
  }

  return {
    sources,
    async resolve(workspace, given, signal) {
      const { source, mirror } = find(workspace);
      const ref = given ?? source.ref ?? "HEAD";
      return { workspace, ref, commit: await resolveRef(mirror, ref, signal) };
    },
    async seed(workspace, commit, signal): Promise<ScratchTree> {
      const { source, mirror } = find(workspace);
      const directories = prepare();
      const path = directories.make(clock.id());
      const remove = () => directories.remove(path);
      try {
        const id = await resolveId(mirror, commit, signal);
        const seeded = await seedTree(mirror, { path, commit: id, limits: source, signal });
        if (!seeded) throw new WorkspaceError("commit-gone", `workspace ${workspace}: the commit ${commit} is gone`);
        return { path, commit: id, ...seeded, [Symbol.asyncDispose]: remove };
      } catch (error) {
        await remove();
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      process.removeListener("exit", onExit);
      git.end();
      await scratch?.[Symbol.asyncDispose]();
    },
  };
}
