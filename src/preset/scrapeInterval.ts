const span = 60_000;

/** PromQL for how many samples the busiest target had within a minute: what `scrapeIntervalFrom` reads. Cheap. */
export const scrapeCountQuery: string = `max(count_over_time(up[${span / 1000}s]))`;

/**
 * The time between two samples in ms, from the answer to `scrapeCountQuery`; undefined where there is none. A server
 * younger than a minute seems to sample more rarely than it does, which only makes rates smoother.
 */
export function scrapeIntervalFrom(count: number): number | undefined {
  return Number.isFinite(count) && count >= 1 ? Math.round(span / count) : undefined;
}
