/** Bounds on work by key. Structurally what the agent takes its room from. */
export interface Limits {
  /** Resolves when there is room; disposing gives it back. Rejects with the signal's reason. */
  acquire(key: string, signal: AbortSignal): Promise<Disposable>;
}

/** A bound on the work of one key: `server:prometheus`, or `model:anthropic` for all models of that provider. */
export interface LimitRule {
  readonly key: string;
  readonly concurrent?: number;
  readonly perMinute?: number;
}

/** What costs nothing. */
export const freeRoom: Disposable = { [Symbol.dispose]: () => undefined };

/** The rule for a key as the agent names it: its own, or its provider's. */
export function ruleFor(rules: readonly LimitRule[], key: string): LimitRule | undefined {
  const slash = key.indexOf("/");
  const provider = key.startsWith("model:") && slash > 0 ? key.slice(0, slash) : key;
  return rules.find((rule) => rule.key === key) ?? rules.find((rule) => rule.key === provider);
}
