/** Keys that wait for a worker, shared by every process. A key is delivered to one worker at a time, at least once. */
export interface Queue extends AsyncDisposable {
  /** Where the key waits already, nothing is added; where it is being worked on, it waits for the worker to be done. */
  add(key: string): Promise<void>;
  /**
   * Hands keys to `handler`, `concurrency` at a time. Its signal aborts when this process no longer holds the key, or is to
   * stop. A handler that rejects, or whose process dies, has its key delivered again, to whomever.
   */
  work(
    handler: (key: string, signal: AbortSignal) => Promise<void>,
    options: { readonly concurrency: number },
  ): Promise<void>;
  /** Takes no more keys; resolves when the handlers are done, or after `patience` ms, when their signals abort and keys go back. */
  drain(patience: number): Promise<void>;
}
