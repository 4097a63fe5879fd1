import { setImmediate as nextTurn } from "node:timers/promises";
import type { Append } from "./write.ts";

/** Writes all in one transaction; by index, why one was refused. Rejects when nothing of it was written. */
export type Commit = (appends: readonly Append[]) => Promise<readonly (Error | undefined)[]>;

interface Waiting {
  readonly append: Append;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Bounds of one transaction. UTF-16 code units; a single append may be larger. */
const mostAppends = 2_000;
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
  add(append: Append): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ append, resolve, reject });
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
        const refusals = await this.#commit(batch.map(({ append }) => append));
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

  /** At most one append a session, for a statement changes a row once: what is left waits for the next transaction. */
  #take(): readonly Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    // Of which no later append may overtake the first that is left.
    const sessions = new Set<string>();
    let text = 0;
    for (const waiting of this.#waiting) {
      const { session } = waiting.append.claim;
      const size = sizeOf(waiting.append);
      const full = batch.length > 0 && (batch.length >= mostAppends || text + size > mostText);
      if (full || sessions.has(session)) left.push(waiting);
      else {
        text += size;
        batch.push(waiting);
      }
      sessions.add(session);
    }
    this.#waiting = left;
    return batch;
  }
}

function sizeOf({ events, results }: Append): number {
  let size = 0;
  for (const { body } of events) size += body.length;
  for (const { body } of results) size += body.length;
  return size;
}
