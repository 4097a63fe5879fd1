import type { HoleValues } from "./holes.ts";

/** What the time holes of a block are filled from; ms since the epoch, lengths in ms. */
export interface HoleTimes {
  readonly from: number;
  readonly to: number;
  readonly now: number;
  /** Between two points of an answer. */
  readonly step: number;
  /** Between two samples of a series in the backend; default 15 s, as Grafana has it. */
  readonly scrapeInterval?: number;
}

const defaultScrapeInterval = 15_000;

const writers = {
  /** `2026-11-30T14:00:00.000Z` */
  from: ({ from }) => new Date(from).toISOString(),
  to: ({ to }) => new Date(to).toISOString(),
  /** Whole seconds; the range only ever grows by rounding. */
  from_unix: ({ from }) => Math.floor(from / 1000),
  to_unix: ({ to }) => Math.ceil(to / 1000),
  /** Whole minutes that reach from now back to `from`; at least 1. */
  lookback_minutes: ({ from, now }) => Math.max(1, Math.ceil((now - from) / 60_000)),
  step: ({ step }) => seconds(step),
  /** Grafana's names. */
  __interval: ({ step }) => seconds(step),
  __auto: ({ step }) => seconds(step),
  __range: ({ from, to }) => seconds(to - from),
  __range_s: ({ from, to }) => Math.max(1, Math.round((to - from) / 1000)),
  /** Long enough for four samples, so that a rate survives a lost one. */
  __rate_interval: ({ step, scrapeInterval = defaultScrapeInterval }) =>
    seconds(Math.max(4 * scrapeInterval, step + scrapeInterval)),
} satisfies Record<string, (times: HoleTimes) => string | number>;

/** True for a hole that every run can fill from its window. */
export function isTimeHole(name: string): boolean {
  return Object.hasOwn(writers, name);
}

/** A value for every time hole. Those that are numbers can become numbers in the arguments of a tool. */
export function timeValues(times: HoleTimes): HoleValues {
  return Object.fromEntries(Object.entries(writers).map(([name, write]) => [name, write(times)]));
}

/** A duration that all three languages read. */
function seconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))}s`;
}
