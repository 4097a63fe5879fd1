import type { Clock } from "../clock/clock.ts";
import { freeRoom, type LimitRule, type Limits, ruleFor } from "./limitRules.ts";
import { Turns } from "./turns.ts";

const minute = 60_000;

interface Use {
  readonly turns: Turns;
  running: number;
  /** When work began within the last minute, ms. */
  starts: number[];
  /** Wakes whoever waits for room. */
  freed: () => void;
}

/** Limits within this process. */
export function localLimits({ rules, clock }: { readonly rules: readonly LimitRule[]; readonly clock: Clock }): Limits {
  const uses = new Map<string, Use>();
  return {
    async acquire(key, signal) {
      const rule = ruleFor(rules, key);
      if (!rule) return freeRoom;
      const use = uses.get(rule.key) ?? { turns: new Turns(), running: 0, starts: [], freed: () => {} };
      uses.set(rule.key, use);
      using _turn = await use.turns.take(signal);
      for (;;) {
        signal.throwIfAborted();
        const wait = waitFor(rule, use, clock.now());
        if (wait === 0) break;
        const woken = Promise.withResolvers<void>();
        use.freed = woken.resolve;
        const done = new AbortController();
        const sleeping = clock.sleep(wait, AbortSignal.any([signal, done.signal])).catch(() => undefined);
        await Promise.race([woken.promise, sleeping]);
        done.abort();
      }
      use.running++;
      if (rule.perMinute !== undefined) use.starts.push(clock.now());
      let open = true;
      return {
        [Symbol.dispose]() {
          if (open) use.running--;
          open = false;
          use.freed();
        },
      };
    },
  };
}

/** ms until there may be room; 0 where there is. */
function waitFor({ concurrent, perMinute }: LimitRule, use: Use, now: number): number {
  if (concurrent !== undefined && use.running >= concurrent) return minute;
  if (perMinute === undefined) return 0;
  use.starts = use.starts.filter((start) => start > now - minute);
  const [oldest] = use.starts;
  return oldest !== undefined && use.starts.length >= perMinute ? Math.max(1, oldest + minute - now) : 0;
}
