import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../clock/clock.ts";

/** How long another owner is waited for between two looks, ms: at first, and at most. */
const shortest = 5;
const longest = 200;
/** SQLITE_BUSY: another connection, of this or another process, holds the lock. */
const busy = 5;

/**
 * A lock among processes that the operating system takes back when its owner dies, however that happens: no pid to be
 * reused, no lease to be renewed, no stale file to be judged. Node has no `flock`; an exclusive transaction on an empty
 * SQLite file is one, and works where containers share a volume. Like SQLite, it needs a file system whose locks work.
 */
export class ProcessLock implements Disposable {
  readonly #file: DatabaseSync;

  private constructor(file: DatabaseSync) {
    this.#file = file;
  }

  /** The lock at `path`, a file that is made where there is none; undefined while somebody else holds it. */
  static take(path: string): ProcessLock | undefined {
    const file = new DatabaseSync(path, { timeout: 0 });
    try {
      file.exec("BEGIN EXCLUSIVE");
      return new ProcessLock(file);
    } catch (error) {
      file.close();
      if ((error as { errcode?: number }).errcode === busy) return undefined;
      throw error;
    }
  }

  /** Waits for its turn; rejects with the signal's reason when it aborts first. */
  static async wait(path: string, { clock, signal }: { clock: Clock; signal: AbortSignal }): Promise<ProcessLock> {
    for (let pause = shortest; ; pause = Math.min(2 * pause, longest)) {
      signal.throwIfAborted();
      const lock = ProcessLock.take(path);
      if (lock) return lock;
      await clock.sleep(pause, signal);
    }
  }

  [Symbol.dispose](): void {
    if (this.#file.isOpen) this.#file.close();
  }
}
