import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ProcessLock } from "./processLock.ts";

/**
 * Where sessions' trees go: a directory of this process's own below `path`, with a lock beside it that the operating
 * system takes back when the process dies. So what crashed processes left can be told, and is removed at the next start;
 * what belongs to a live one never is.
 */
export class ScratchDirectories implements AsyncDisposable {
  readonly #own: string;
  readonly #lock: ProcessLock;

  private constructor(own: string, lock: ProcessLock) {
    this.#own = own;
    this.#lock = lock;
  }

  /** `id` is a fresh random one. Gives the names of the leftovers that were removed, too. */
  static open(
    path: string,
    id: string,
  ): { readonly directories: ScratchDirectories; readonly removed: readonly string[] } {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const own = join(path, id);
    const lock = ProcessLock.take(`${own}.lock`);
    if (!lock) throw new Error(`${own} belongs to somebody else`);
    mkdirSync(own, { mode: 0o700 });
    return { directories: new ScratchDirectories(own, lock), removed: removeLeftovers(path, id) };
  }

  /** A path of its own for a tree, made. */
  make(id: string): string {
    const path = join(this.#own, id);
    mkdirSync(path, { mode: 0o700 });
    return path;
  }

  async remove(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove(this.#own);
    this.#lock[Symbol.dispose]();
    rmSync(`${this.#own}.lock`, { force: true });
  }
}

function removeLeftovers(path: string, ours: string): readonly string[] {
  const names = new Set(readdirSync(path).map((name) => name.replace(/\.lock(?:-\w+)?$/, "")));
  return [...names].filter((name) => {
    if (name === ours) return false;
    const lockFile = join(path, `${name}.lock`);
    // The lock is made before its directory: one without the other is half a start, or half an end.
    const lock = existsSync(lockFile) ? ProcessLock.take(lockFile) : undefined;
    if (!lock && existsSync(lockFile)) return false;
    rmSync(join(path, name), { recursive: true, force: true });
    lock?.[Symbol.dispose]();
    rmSync(lockFile, { force: true });
    return true;
  });
}
