import type { TraceWork } from "./ownWork.ts";
import { median, quantile, spread } from "./robust.ts";

/** How a service's own part in the traces changed at an instant. */
export interface OwnChange {
  readonly service: string;
  /** Traces that it takes part in, before and after. */
  readonly traces: { readonly before: number; readonly after: number };
  /** ms per trace; the ninth decile where only some traces changed. */
  readonly time: Change & { readonly of: "median" | "p90"; readonly busiest: string };
  /** Share of its traces that failed in it by itself, 0 to 1. */
  readonly errors: Change & { readonly message: string };
  /** ms that calls to it take beyond its own spans. */
  readonly waited: Change;
  /** ms that its callers wait for it, what it waits for itself included. */
  readonly elapsed: Change;
  /** Share of its traces that failed, whoever caused it. */
  readonly failed: Change;
}

interface Change {
  readonly before: number;
  readonly after: number;
  /** Robust deviations for time, a multiple of what is worth a word for errors; at least 1 where it departed. */
  readonly score: number;
  readonly departed: boolean;
}

/** Fewer traces than that on one side say nothing about it. */
const leastTraces = 5;

/** Whole milliseconds are all that some backends keep: less than this is no change. */
const timeFloor = 3;
const errorFloor = 0.04;

/**
 * Own work before and after `at`, less `margin` ms before it, by service name; services with too few traces on a side are left out. Pure.
 */
export function ownChanges(work: readonly TraceWork[], at: number, margin = 0): readonly OwnChange[] {
  const services = [...new Set(work.flatMap(({ services }) => [...services.keys()]))].sort();
  return services.flatMap((service) => {
    const side = (keep: (start: number) => boolean) =>
      work.filter(({ start }) => keep(start)).flatMap(({ services }) => services.get(service) ?? []);
    const before = side((start) => start < at - margin);
    const after = side((start) => start >= at);
    if (after.length < leastTraces || before.length < leastTraces) return [];

    const time = timeChange(
      before.map(({ time }) => time),
      after.map(({ time }) => time),
    );
    const busy = Map.groupBy(after, ({ busiest }) => busiest);
    const busiest = [...busy].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))[0]?.[0] ?? "";
    const share = (list: typeof after, is: (work: (typeof after)[number]) => boolean) =>
      list.filter(is).length / list.length;
    const own = [before, after].map((list) => share(list, ({ error }) => error !== undefined)) as [number, number];
    const failed = [before, after].map((list) => share(list, (work) => work.failed)) as [number, number];
    return [
      {
        service,
        traces: { before: before.length, after: after.length },
        time: { ...time, busiest },
        errors: { ...errorChange(own, after.length), message: commonest(after.flatMap(({ error }) => error || [])) },
        waited: timeChange(
          before.map(({ waited }) => waited),
          after.map(({ waited }) => waited),
        ),
        elapsed: timeChange(
          before.map(({ elapsed }) => elapsed),
          after.map(({ elapsed }) => elapsed),
        ),
        failed: errorChange(failed, after.length),
      },
    ];
  });
}

function timeChange(before: readonly number[], after: readonly number[]): Omit<OwnChange["time"], "busiest"> {
  const measure = (of: "median" | "p90", q: number, least: number) => {
    const [low, high] = [quantile(before, q), quantile(after, q)];
    const score = Math.max(0, high - low) / Math.max(spread(before), 0.2 * low, timeFloor);
    return { of, before: low, after: high, score: score / least, departed: score >= least };
  };
  const middle = measure("median", 0.5, 4);
  const tail = measure("p90", 0.9, 8);
  return tail.departed && !middle.departed ? tail : middle;
}

function errorChange([before, after]: readonly [number, number], traces: number): Change {
  const rise = after - before;
  const departed = rise >= errorFloor && after >= 2 * before && after * traces >= 2.5;
  return { before, after, score: Math.max(0, rise / errorFloor), departed };
}

function commonest(messages: readonly string[]): string {
  const counts = Map.groupBy(messages, (message) => message);
  return [...counts].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))[0]?.[0] ?? "";
}

/** What whole traces take before `at`, all own times together: the median, ms; 0 where there are none. */
export function totalTimeBefore(work: readonly TraceWork[], at: number): number {
  const before = work.filter(({ start }) => start < at);
  return median(before.map(({ services }) => [...services.values()].reduce((sum, { time }) => sum + time, 0))) || 0;
}
