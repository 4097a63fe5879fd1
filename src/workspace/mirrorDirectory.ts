import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { processIdentity } from "./processIdentity.ts";

/**
 * The bare repository of a mirror on disk, and what a crash leaves in it. Everything here is called under the mirror's
 * lock, so whatever looks unfinished belongs to an owner that is dead.
 */
export class MirrorDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get exists(): boolean {
    return existsSync(join(this.path, "HEAD"));
  }

  /** `make` gets a path where nothing is; the mirror stands in its place only when it has been made. */
  async create(make: (path: string) => Promise<void>): Promise<void> {
    const unfinished = `${this.path}.new`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    await make(unfinished);
    this.remove();
    renameSync(unfinished, this.path);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** A git process works on the mirror: should we die now, whoever comes next finds it. */
  noteOwner(pid: number): void {
    writeFileSync(this.#note, JSON.stringify({ pid, identity: processIdentity(pid) }), { mode: 0o600 });
  }

  dropOwner(): void {
    rmSync(this.#note, { force: true });
  }

  /** Ends a git process that outlived its owner, and removes the locks and half packs that would be in the way for ever. */
  async recover(): Promise<boolean> {
    const owner = this.#owner();
    if (owner === undefined) return false;
    const alive = () => owner.identity !== undefined && processIdentity(owner.pid) === owner.identity;
    if (alive()) {
      // Nobody is left to end it in time, or to use what it fetches.
      endGroup(owner.pid);
      for (let waited = 0; waited < 2_000 && alive(); waited += 10) await delay(10);
    }
    if (existsSync(this.path)) {
      for (const entry of readdirSync(this.path, { recursive: true, withFileTypes: true })) {
        const isHalf = entry.name.endsWith(".lock") || /^\.?tmp[_-]/.test(entry.name);
        if (entry.isFile() && isHalf) rmSync(join(entry.parentPath, entry.name), { force: true });
      }
    }
    this.dropOwner();
    return true;
  }

  /** Every fetch adds one. */
  get packs(): number {
    return readdirSync(join(this.path, "objects", "pack")).filter((name) => name.endsWith(".pack")).length;
  }

  get #note(): string {
    return `${this.path}.owner`;
  }

  #owner(): { readonly pid: number; readonly identity?: string } | undefined {
    let text: string;
    try {
      text = readFileSync(this.#note, "utf8");
    } catch {
      return undefined; // The usual case: whoever had the lock before was done with it.
    }
    try {
      const { pid, identity } = JSON.parse(text) as { pid?: unknown; identity?: unknown };
      return typeof pid === "number" && typeof identity === "string" ? { pid, identity } : { pid: 0 };
    } catch {
      return { pid: 0 }; // Cut off by the crash: there is something to clean up all the same.
    }
  }
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // Gone by itself in the meantime.
  }
}
