import { setImmediate as nextTurn } from "node:timers/promises";
import type { Write } from "./write.ts";

/** Writes all in one transaction; by index, why one was refused. Rejects when nothing of it was written. */
export type Commit = (writes: readonly Write[]) => Promise<readonly (Error | undefined)[]>;

interface Waiting {
  readonly write: Write;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Bounds of one transaction. UTF-16 code units; a single write may be larger. */
const mostWrites = 2_000;
const mostText = 8 * 1024 * 1024;

/** Gathers what is to be written while a transaction is under way into the next one, so that many sessions share an fsync. */
export class GroupCommit {
  readonly #commit: Commit;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(commit: Commit) {
    this.#commit = commit;
  }

  /** Resolves when it is durable; rejects when it was refused by itself, or the transaction failed. */
  add(write: Write): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ write, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Whoever is about to write in this turn joins.
      await nextTurn();
      const batch = this.#take();
      try {
        const refusals = await this.#commit(batch.map(({ write }) => write));
        for (const [index, { resolve, reject }] of batch.entries()) {
          const refusal = refusals[index];
          if (refusal) reject(refusal);
          else resolve();
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = undefined;
  }

  /**
   * At most one append a session and one body a result: a statement changes a row once. What is left, and all that the same
   * session asked for after it, waits for the next transaction.
   */
  #take(): readonly Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const taken = new Set<string>();
    const late = new Set<string>();
    let text = 0;
    for (const waiting of this.#waiting) {
      const { claim } = waiting.write;
      const row = rowOf(waiting.write);
      const size = sizeOf(waiting.write);
      const full = batch.length > 0 && (batch.length >= mostWrites || text + size > mostText);
      if (full || taken.has(row) || late.has(claim.session)) {
        late.add(claim.session);
        left.push(waiting);
        continue;
      }
      taken.add(row);
      text += size;
      batch.push(waiting);
    }
    this.#waiting = left;
    return batch;
  }
}

function rowOf(write: Write): string {
  return write.kind === "append" ? write.claim.session : `${write.claim.session} ${write.call}`;
}

function sizeOf(write: Write): number {
  return write.kind === "append" ? write.events.reduce((sum, { body }) => sum + body.length, 0) : write.body.length;
}
