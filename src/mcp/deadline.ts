/** A signal with a time limit of its own. Dispose of it when the work is done. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Aborts when one of `signals` does, with its reason, or after `ms` milliseconds with `reason()`.
 * The timer keeps the process alive: an `AbortSignal.timeout` would not, and a wait could end with the process instead.
 */
export function deadline(ms: number, signals: readonly AbortSignal[], reason: () => unknown): Deadline {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(reason()), ms);
  return {
    signal: AbortSignal.any([limit.signal, ...signals]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as that aborts. The work itself goes on. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
