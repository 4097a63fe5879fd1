import type { Observation } from "./observation.ts";
import type { Suspect } from "./suspects.ts";

/** Who calls whom. */
type Calls = readonly (readonly [caller: string, callee: string])[];

/**
 * Among equals, the one whose requests were the quickest before is deepest down: a caller's time holds its callees'.
 * A guess, and only used where nothing better is known.
 */
export function byDepth(observations: readonly Observation[]) {
  const usual = new Map<string | undefined, number>();
  for (const { service, signal, departure } of observations) {
    if (signal.kind !== "latency" || departure.before === undefined) continue;
    usual.set(service, Math.min(usual.get(service) ?? departure.before, departure.before));
  }
  const of = (suspect: Suspect) => usual.get(suspect.service) ?? Number.POSITIVE_INFINITY;
  return (a: Suspect, b: Suspect) => {
    if (of(a) !== of(b)) return of(a) < of(b) ? -1 : 1;
    return b.weight - a.weight || (a.service < b.service ? -1 : 1);
  };
}

/** Symptoms travel to callers and no other way: the one whom all others call, if there is one. */
export function calledByAll(suspects: readonly Suspect[], calls: Calls): Suspect | undefined {
  if (suspects.length < 2 || suspects.length > mostCompared) return undefined;
  return suspects.find((one) => {
    const callers = callersOf(one.service, calls);
    return suspects.every((other) => other === one || callers.has(other.service));
  });
}

/** Among more than these nobody is found by comparing each with all. */
const mostCompared = 20;

/** Everyone who calls `service`, directly or through others. */
export function callersOf(service: string, calls: Calls): ReadonlySet<string> {
  const found = new Set<string>([service]);
  for (let grown = true; grown; ) {
    const next = calls.filter(([caller, callee]) => found.has(callee) && !found.has(caller));
    for (const [caller] of next) found.add(caller);
    grown = next.length > 0;
  }
  return found;
}
