/** Bounds on work that many runs share, by key: `model:ID` or `server:NAME`. */
export interface Limits {
  /** Resolves when there is room; disposing gives it back. Rejects with the signal's reason. */
  acquire(key: string, signal: AbortSignal): Promise<Disposable>;
}

export const noLimits: Limits = {
  acquire: async () => ({ [Symbol.dispose]: () => undefined }),
};
