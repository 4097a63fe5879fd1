import type { Compared, Observation } from "./observation.ts";
import { type OwnChange, ownChanges, totalTimeBefore } from "./ownChange.ts";
import { ownWork, type TraceWork } from "./ownWork.ts";
import { departs } from "./rise.ts";
import { type Periods, score } from "./score.ts";
import type { Point } from "./series.ts";
import type { SignalKind } from "./signal.ts";
import { type Ranking, rankSuspects } from "./suspects.ts";

/** What the gathered data say. */
export interface Analysis {
  readonly ranking: Ranking;
  readonly changes: readonly OwnChange[];
  /** Own time by trace of each service, ms. */
  readonly ownTimes: ReadonlyMap<string, readonly Point[]>;
}

/** Pure. */
export function analyse(compared: Compared): Analysis {
  const { observations, periods, spans } = compared;
  const work = ownWork(spans);
  const ownTimes = pointsOf(work, ({ time }) => time);
  const inTraces = onsetInTraces(work, periods);
  const at = onsetOf(compared) ?? inTraces ?? periods.from;
  // What began shortly before the first sample of a departure may have suffered already.
  const changes = ownChanges(work, at, 5 * periods.step);
  const calls = [...compared.calls, ...work.flatMap(({ calls }) => calls)];
  const totalBefore = totalTimeBefore(work, at);
  const ranking = rankSuspects({ observations, changes, calls, totalBefore, onsetInTraces: inTraces });
  return { ranking, changes, ownTimes };
}

/** The first sample of the strongest departure, of what requests feel if that departs at all; else undefined. */
function onsetOf({ observations }: Pick<Compared, "observations">): number | undefined {
  const departed = observations.filter(
    ({ departure, signal }) => departure.score >= departs && signal.kind !== "traffic",
  );
  const felt = departed.filter(({ signal }) => feltBy.has(signal.kind));
  const strongest = (felt.length > 0 ? felt : departed).reduce<Observation | undefined>(
    (best, next) =>
      best === undefined ||
      next.departure.score > best.departure.score ||
      (next.departure.score === best.departure.score && (next.departure.onset ?? 0) < (best.departure.onset ?? 0))
        ? next
        : best,
    undefined,
  );
  return strongest?.departure.onset;
}

const feltBy: ReadonlySet<SignalKind> = new Set(["latency", "errors", "saturation"]);

/** Without metrics, traces are the only clock: the first from which a service's own time or errors stay away. */
function onsetInTraces(work: readonly TraceWork[], periods: Periods): number | undefined {
  const sampled = [
    { points: pointsOf(work, ({ time }) => time), floor: 3 },
    { points: pointsOf(work, ({ error }) => (error === undefined ? 0 : 1)), floor: 0.1 },
  ].flatMap(({ points, floor }) => [...points.values()].map((list) => ({ list: smoothed(list), floor })));
  const found = sampled.flatMap(({ list, floor }) => {
    const departure = score({ labels: {}, points: list, gone: 0 }, { periods, expect: "high", floor });
    return departure?.onset === undefined ? [] : [departure];
  });
  return found.sort((a, b) => b.score - a.score)[0]?.onset;
}

function pointsOf(
  work: readonly TraceWork[],
  valueOf: (work: { readonly time: number; readonly error?: string }) => number,
): ReadonlyMap<string, readonly Point[]> {
  const points = new Map<string, Point[]>();
  for (const { start, services } of work) {
    for (const [service, own] of services) {
      const list = points.get(service) ?? [];
      list.push({ t: start, v: valueOf(own) });
      points.set(service, list);
    }
  }
  return points;
}

/** Means of five neighbours, at the time of the last: one trace is no level. */
function smoothed(points: readonly Point[]): readonly Point[] {
  return points.slice(4).map(({ t }, index) => {
    const part = points.slice(index, index + 5);
    return { t, v: part.reduce((sum, { v }) => sum + v, 0) / part.length };
  });
}
