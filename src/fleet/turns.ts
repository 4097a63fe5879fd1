/** Callers of this process, one after the other: only the first of them asks for room. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when all who came before are served or have left. Disposing lets the next. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<Disposable> {
    const before = this.#last;
    const mine = Promise.withResolvers<void>();
    this.#last = before.then(() => mine.promise);
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      signal.throwIfAborted();
      await Promise.race([before, left.promise]);
      return { [Symbol.dispose]: () => mine.resolve() };
    } catch (error) {
      mine.resolve();
      throw error;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }
}
