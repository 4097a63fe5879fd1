import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import { type Git, GitError, type GitOptions, type GitResult } from "./git.ts";
import { MirrorDirectory } from "./mirrorDirectory.ts";
import { ProcessLock } from "./processLock.ts";
import { type RepositoryAddress, withoutSecrets } from "./repositoryAddress.ts";
import { SharedWork } from "./sharedWork.ts";
import { WorkspaceError } from "./workspace.ts";

export interface MirrorParts {
  /** Of the workspace. */
  readonly name: string;
  readonly address: RepositoryAddress;
  /** The directory of all mirrors. */
  readonly directory: string;
  readonly git: Git;
  readonly clock: Clock;
  readonly log: Log;
  /** Of one command of git, ms. */
  readonly timeout: number;
}

/** Where the repository's own HEAD is kept: our bare repository's HEAD means nothing. */
export const headRef = "refs/korvus/head";

/** More packs than this are made one: objects are looked for in each. */
const mostPacks = 40;

/**
 * A bare repository with all branches and tags of a workspace's repository, shared by sessions and processes. It is read
 * without a lock: objects are only ever added. Its object store is the cache of blobs by id; nothing is ever pruned,
 * so that a commit that a session was pinned to once can be seeded again.
 */
export class Mirror {
  readonly #parts: MirrorParts;
  readonly #directory: MirrorDirectory;
  readonly #fetching: SharedWork;

  constructor(parts: MirrorParts) {
    this.#parts = parts;
    const hash = createHash("sha256").update(parts.address.shown).digest("hex").slice(0, 12);
    const name = parts.name.replaceAll(/[^\w.-]/g, "_").replace(/^\./, "_");
    this.#directory = new MirrorDirectory(join(parts.directory, `${name}-${hash}.git`));
    this.#fetching = new SharedWork((signal, begin) =>
      this.#locked(signal, async () => (begin(), this.#fetchAll(signal))),
    );
  }

  get name(): string {
    return this.#parts.name;
  }

  get shown(): string {
    return this.#parts.address.shown;
  }

  get path(): string {
    return this.#directory.path;
  }

  get exists(): boolean {
    return this.#directory.exists;
  }

  /** Branches, tags and HEAD as they are now, or at a moment after this call. Rejects with `WorkspaceError`. */
  async fetch(signal: AbortSignal): Promise<void> {
    await this.#fetching.run(signal);
  }

  /** Asks for one commit that no branch or tag leads to; false when the repository does not have it or does not give it. */
  async fetchCommit(commit: string, signal: AbortSignal): Promise<boolean> {
    let found = false;
    await this.#locked(signal, async () => {
      // Under a name of its own, since objects without one are fetched again and again.
      const { code, stderr } = await this.#fetch([`+${commit}:refs/korvus/commits/${commit}`], signal);
      found = code === 0;
      if (!found && !/not our ref|unadvertised|couldn't find remote ref|no such|not found/i.test(stderr)) {
        throw this.#unreachable(stderr);
      }
    });
    return found;
  }

  /** Runs git in the mirror. Rejects with `WorkspaceError`, or the signal's reason. */
  async run(
    args: readonly string[],
    options: Omit<GitOptions, "timeout"> & { readonly input?: string },
  ): Promise<GitResult> {
    const { git, timeout } = this.#parts;
    try {
      return await git.run([`--git-dir=${this.path}`, ...args], { timeout, ...options });
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** As `Git.start`, in the mirror. */
  start(args: readonly string[], options: Omit<GitOptions, "timeout">) {
    const { git, timeout } = this.#parts;
    return git.start([`--git-dir=${this.path}`, ...args], { timeout, ...options });
  }

  /** What git did not do, for whoever configured the workspace; other errors are given back as they are. */
  failure(error: unknown): unknown {
    if (!(error instanceof GitError)) return error;
    const code = error.kind === "missing" ? "no-git" : "unreachable";
    return new WorkspaceError(code, `workspace ${this.name}: ${this.shown}: ${error.message}`, { cause: error });
  }

  async #locked(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#parts;
    let lock: ProcessLock;
    try {
      lock = await ProcessLock.wait(`${this.path}.lock`, { clock, signal });
    } catch (error) {
      throw signal.aborted ? error : this.#unusable(error);
    }
    try {
      if (await this.#directory.recover()) log.warn({ workspace: this.name }, "a fetch that was cut off is cleaned up");
      await work();
    } catch (error) {
      throw isFileError(error) ? this.#unusable(error) : this.failure(error);
    } finally {
      lock[Symbol.dispose]();
    }
  }

  async #fetchAll(signal: AbortSignal): Promise<void> {
    const { log } = this.#parts;
    const isNew = !this.#directory.exists;
    if (isNew) await this.#create("sha1", signal);
    const branches = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
    const all = [...branches, `+HEAD:${headRef}`];
    let result = await this.#fetch(all, signal);
    if (isNew && result.code !== 0 && /mismatched algorithms/.test(result.stderr)) {
      await this.#create("sha256", signal);
      result = await this.#fetch(all, signal);
    }
    if (result.code !== 0 && /couldn't find remote ref HEAD/i.test(result.stderr)) {
      // An empty repository, or one whose HEAD leads nowhere.
      result = await this.#fetch(branches, signal);
      await this.run(["update-ref", "-d", headRef], { signal });
    }
    if (result.code !== 0) throw this.#unreachable(result.stderr);
    log.debug({ workspace: this.name, repository: this.shown }, "fetched");
    await this.#join(signal);
  }

  async #create(format: "sha1" | "sha256", signal: AbortSignal): Promise<void> {
    const { git, timeout } = this.#parts;
    await this.#directory.create(async (path) => {
      const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, "--", path];
      const { code, stderr } = await git.run(args, { signal, timeout });
      if (code !== 0) throw this.#unusable(new Error(stderr.trim()));
    });
  }

  async #fetch(refs: readonly string[], signal: AbortSignal): Promise<GitResult> {
    const { git, timeout, address } = this.#parts;
    if (!this.#directory.exists) await this.#create("sha1", signal);
    const hidden = address.ssh ? [...address.hidden, ...(await this.#sshSettings(signal))] : address.hidden;
    try {
      return await git.run(
        [
          `--git-dir=${this.path}`,
          "fetch",
          "--quiet",
          "--prune",
          "--no-tags",
          "--force",
          "--no-recurse-submodules",
          "--no-write-fetch-head",
          // Histories that are cut off are taken as they are.
          "--update-shallow",
          "--end-of-options",
          address.url,
          ...refs,
        ],
        { signal, timeout, hidden, onStart: (pid) => this.#directory.noteOwner(pid) },
      );
    } finally {
      this.#directory.dropOwner();
    }
  }

  /** ssh never asks, whoever's ssh it is. One that is set in the environment is the user's to set up. */
  async #sshSettings(signal: AbortSignal) {
    const { stdout } = await this.run(["config", "--get", "core.sshCommand"], { signal });
    const command = stdout.toString().trim() || "ssh";
    return /^(?:\S*\/)?ssh(?:\s|$)/.test(command)
      ? [{ key: "core.sshCommand", value: `${command} -o BatchMode=yes` }]
      : [];
  }

  async #join(signal: AbortSignal): Promise<void> {
    if (this.#directory.packs <= mostPacks) return;
    // Whoever reads an old pack at the moment keeps it open or finds the new one.
    const onStart = (pid: number) => this.#directory.noteOwner(pid);
    const { code, stderr } = await this.run(["repack", "-a", "-d", "-k", "-l", "-q"], { signal, onStart });
    this.#directory.dropOwner();
    if (code !== 0) this.#parts.log.warn({ workspace: this.name, git: lastWords(stderr) }, "packs cannot be made one");
  }

  #unreachable(stderr: string): WorkspaceError {
    const words = lastWords(withoutSecrets(stderr, this.#parts.address));
    if (/no space left on device|disk quota exceeded/i.test(stderr)) return this.#unusable(new Error(words));
    const hint =
      /could not read (?:Username|Password)|authentication failed|terminal prompts|permission denied \(|host key verification/i.test(
        stderr,
      )
        ? "; set up a credential helper or an ssh key, and the host's key, for the user that Korvus runs as"
        : "";
    return new WorkspaceError(
      "unreachable",
      `workspace ${this.name}: ${this.shown} cannot be fetched: ${words}${hint}`,
    );
  }

  #unusable(cause: unknown): WorkspaceError {
    const why = cause instanceof Error ? cause.message : String(cause);
    return new WorkspaceError(
      "no-directory",
      `workspace ${this.name}: the mirror ${this.path} cannot be used: ${why}`,
      {
        cause,
      },
    );
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

/** A few lines as one, without control characters. */
function lastWords(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== "" && !line.startsWith("hint:"));
  const text = lines
    .slice(-4)
    .join("; ")
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "?");
  return (text || "git gave no reason").slice(-600);
}
