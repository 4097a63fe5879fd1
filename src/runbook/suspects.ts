import { byDepth, calledByAll, callersOf } from "./depth.ts";
import type { Observation } from "./observation.ts";
import type { OwnChange } from "./ownChange.ts";
import { departs, highestScore } from "./rise.ts";
import type { SignalKind } from "./signal.ts";

/** A service in which something departed from its baseline. */
export interface Suspect {
  readonly service: string;
  /** Higher is likelier; comparable within one ranking. */
  readonly weight: number;
  /**
   * What speaks against it, strongest first: its own work grew (from traces), something that no caller passes on (a
   * pool, memory), or symptoms alone, which a service may have from its callees.
   */
  readonly basis: "own work" | "resource" | "symptom";
  /** Departed series, strongest first. */
  readonly departed: readonly Observation[];
  readonly own?: OwnChange;
  /** First sample of its strongest departure. */
  readonly onset?: number;
  /** The suspect whose trouble it passes on, where traces show that it calls it and did not change itself. */
  readonly passesOn?: string;
}

export interface Ranking {
  /** Likeliest first. */
  readonly suspects: readonly Suspect[];
  /** The first ones cannot be told apart by what was read: how many, at least 2; 0 where the first stands alone. */
  readonly tied: number;
}

export interface Facts {
  readonly observations: readonly Observation[];
  /** From traces; empty where there are none. */
  readonly changes: readonly OwnChange[];
  /** Who calls whom. */
  readonly calls: readonly (readonly [caller: string, callee: string])[];
  /** Where only traces know it. */
  readonly onsetInTraces?: number | undefined;
  /** Own time of whole traces before the onset, ms. */
  readonly totalBefore: number;
}

/** Of kinds that stay where they arise, how much each speaks against its service. */
const resourceWeight: Readonly<Partial<Record<SignalKind, number>>> = {
  saturation: 1,
  memory: 1,
  restarts: 1,
  availability: 1,
  cpu: 0.5,
  other: 0.3,
};

/** Weights closer than this are equal, as far as the numbers go. */
const equal = 0.15;

/**
 * Ranks services. Where traces show a service's own work, symptoms count for next to nothing: callers have them from
 * their callees. Without traces they are all there is, and services of about equal weight are a tie. The order of
 * observations does not matter. Pure.
 */
export function rankSuspects(facts: Facts): Ranking {
  const { observations, changes, calls } = facts;
  const departed = observations.filter(({ departure }) => departure.score >= departs);
  const byService = Map.groupBy(
    departed.filter(({ service }) => service !== undefined),
    ({ service }) => service as string,
  );
  const grown = changes.filter((change) => isGrown(change) || isSymptomatic(change));
  const names = [...new Set([...byService.keys(), ...grown.map(({ service }) => service)])].sort();
  const changeOf = new Map(changes.map((change) => [change.service, change]));
  const weighed = names.map((service) =>
    weigh(service, { departed: byService.get(service) ?? [], own: changeOf.get(service), facts }),
  );

  const sorted = weighed.sort((a, b) => b.weight - a.weight || (a.service < b.service ? -1 : 1));
  const first = sorted[0];
  if (first === undefined) return { suspects: [], tied: 0 };
  const isClose = ({ basis, weight }: Suspect) => basis === first.basis && first.weight - weight < equal;
  const close = sorted.filter(isClose);
  const deepest = first.basis === "symptom" ? calledByAll(close, calls) : undefined;
  const guessed = close.sort(byDepth(observations));
  const culprit = deepest ?? guessed[0] ?? first;
  const ordered = [
    culprit,
    ...guessed.filter((suspect) => suspect !== culprit),
    ...sorted.filter((suspect) => !isClose(suspect)),
  ];
  const reach = callersOf(culprit.service, calls);
  const suspects = ordered.map((suspect) =>
    suspect !== culprit && passesOn(suspect) && reach.has(suspect.service)
      ? { ...suspect, passesOn: culprit.service }
      : suspect,
  );
  return { suspects, tied: close.length > 1 && deepest === undefined ? close.length : 0 };
}

/** By itself: its own time, its own errors, or the waiting for it. */
export function isGrown({ time, errors, waited }: OwnChange): boolean {
  return time.departed || errors.departed || waited.departed;
}

function isSymptomatic({ elapsed, failed }: OwnChange): boolean {
  return elapsed.departed || failed.departed;
}

/** It suffers, and traces show that it does nothing of its own to it. */
function passesOn({ own, departed }: Suspect): boolean {
  if (own === undefined || isGrown(own)) return false;
  return isSymptomatic(own) || departed.some(({ signal }) => symptoms.has(signal.kind));
}

function weigh(
  service: string,
  { departed, own, facts }: { departed: readonly Observation[]; own: OwnChange | undefined; facts: Facts },
): Suspect {
  const ownWeight = own === undefined ? 0 : weightOfOwn(own, facts.totalBefore);
  const resource = strongest(departed, ({ signal }) => resourceWeight[signal.kind] ?? 0);
  const symptom = strongest(departed, ({ signal }) =>
    symptoms.has(signal.kind) ? 1 : signal.kind === "traffic" ? 0.2 : 0,
  );
  const blind = facts.changes.length === 0 || own === undefined;
  const weights = { "own work": ownWeight, resource: resource.weight, symptom: symptom.weight * (blind ? 0.7 : 0.1) };
  const basis =
    ownWeight > 0 ? "own work" : weights.resource > 0 && weights.resource >= weights.symptom ? "resource" : "symptom";
  const lead = resource.weight > symptom.weight ? resource.of : (symptom.of ?? resource.of);
  const onset = lead?.departure.onset ?? facts.onsetInTraces;
  return {
    service,
    weight: weights["own work"] + weights.resource + weights.symptom,
    basis,
    departed: [...departed].sort(
      (a, b) => b.departure.score - a.departure.score || (a.signal.title < b.signal.title ? -1 : 1),
    ),
    ...(own === undefined ? {} : { own }),
    ...(onset === undefined ? {} : { onset }),
  };
}

const symptoms: ReadonlySet<SignalKind> = new Set(["latency", "errors"]);

/** Between 1 and 3 where own work grew: own errors weigh more than own time, more time more than less. */
function weightOfOwn({ time, errors, waited }: OwnChange, totalBefore: number): number {
  const share = ({ before, after, departed }: OwnChange["waited"]) =>
    departed ? (after - before) / (after - before + totalBefore) : 0;
  const slower = Math.max(time.departed ? 1 + share(time) : 0, waited.departed ? 0.8 + share(waited) : 0);
  const failing = errors.departed ? 2 + (errors.after - errors.before) : 0;
  return Math.max(slower, failing);
}

function strongest(departed: readonly Observation[], weightOf: (of: Observation) => number) {
  let best: { readonly weight: number; readonly of?: Observation } = { weight: 0 };
  for (const of of departed) {
    const weight = weightOf(of) * logarithmic(of.departure.score);
    if (weight > best.weight) best = { weight, of };
  }
  return best;
}

/** 0.3 for what only just departs, 1 for the highest score. */
function logarithmic(score: number): number {
  return 0.1 + (0.9 * Math.log10(1 + score)) / Math.log10(1 + highestScore);
}
