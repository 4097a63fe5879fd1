/** One request to a provider: it ends with the step's signal, when nothing comes for too long, or when disposed. */
export interface OpenRequest extends Disposable {
  /** For the provider. */
  readonly signal: AbortSignal;
  /** What `wait` gives; rejects as soon as the request ends, even where the provider does not heed its signal. */
  within<T>(ms: number, wait: PromiseLike<T>): Promise<T>;
}

export function openRequest(signal: AbortSignal): OpenRequest {
  const own = new AbortController();
  const linked = AbortSignal.any([signal, own.signal]);
  const ended = new Promise<never>((_, reject) => {
    linked.addEventListener("abort", () => reject(linked.reason as Error), { once: true });
  });
  ended.catch(() => {
    // Every wait races this; while none is running, nobody has to hear it.
  });
  return {
    signal: linked,
    async within(ms, wait) {
      // The time of a socket, not of the run: a clock that replays must not fire it.
      const timer = setTimeout(() => own.abort(new Error(`nothing came for ${ms / 1000} s`)), ms);
      return await Promise.race([ended, wait]).finally(() => clearTimeout(timer));
    },
    [Symbol.dispose]: () => own.abort(),
  };
}
