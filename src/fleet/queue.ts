/** Keys that wait for a worker, shared by every process. A key is delivered to one worker at a time, at least once. */
export interface Queue extends AsyncDisposable {
  /** Where the key waits already, nothing is added; where it is being worked on, it waits for the worker to be done. */
  add(key: string): Promise<void>;
  /**
   * Hands keys to `handler`, `concurrency` at a time. Its signal aborts when this process no longer holds the key, or is to
   * stop. A handler that rejects, or whose process dies, has its key delivered again, to whomever. Called once.
   */
  work(handler: Handler, options: { readonly concurrency: number }): Promise<void>;
  /** Calls `task` every so many minutes (1 to 59) in one process of all that ask for it under this name. */
  periodically(name: string, minutes: number, task: () => Promise<void>): Promise<void>;
  /** Takes no more keys; resolves when the handlers are done. After `patience` ms their signals abort, and keys go back. */
  drain(patience: number): Promise<void>;
}

export type Handler = (key: string, signal: AbortSignal) => Promise<void>;

/** The queue cannot be opened or reached; the message says what to do, and holds no password. */
export class QueueError extends Error {
  override readonly name = "QueueError";
  readonly code = "unavailable";
}
