import { rise } from "./rise.ts";
import { median, spread } from "./robust.ts";
import type { Point, Series } from "./series.ts";

/** The window under investigation and what it is compared with; ms since the Unix epoch. */
export interface Periods {
  readonly baselineFrom: number;
  readonly from: number;
  readonly to: number;
  /** ms between two points. */
  readonly step: number;
}

type Direction = "up" | "down";

export interface ScoreOptions {
  readonly periods: Periods;
  /** Which direction counts. */
  readonly expect: "high" | "low" | "any";
  /** The least deviation that is worth a word, in the series' own unit: what a flat series is measured by. */
  readonly floor: number;
  /** The values are quantiles of a histogram. */
  readonly quantile?: boolean;
  /** No series means zero, as with errors: one that is born in the window is held against that. */
  readonly fromZero?: boolean;
}

/** How the window departs from its baseline. */
export interface Departure {
  /**
   * Robust deviations that the window holds for several points in a row, less what the baseline holds too; 0 where
   * nothing departs, never NaN, at most `highestScore`.
   */
  readonly score: number;
  readonly direction: Direction;
  /** Median of the baseline; undefined for a series that was born in the window. */
  readonly before?: number;
  /** Median from the onset on; of the whole window where nothing departs. */
  readonly after: number;
  /** Time of the first sample of the departure. */
  readonly onset?: number;
  readonly remarks: readonly Remark[];
}

export type Remark =
  /** No point in the baseline. */
  | "born in the window"
  /** The last point is well before the window's end. */
  | "ended in the window"
  /** Fewer than two thirds of the points that its own rhythm would have. */
  | "gaps"
  | "values that are no numbers"
  /** Its rate is what was scored, from zero on after each reset. */
  | "counter was reset"
  /** It rose as fast before the window. */
  | "grew as fast before"
  /** The baseline swings as far. */
  | "as unsteady before"
  /** The values stand still at one level, as quantiles do that a histogram's buckets cannot tell apart. */
  | "stands at a bucket's edge";

/** How many points in a row make a departure: a tenth of the window, three at least, and no more than eight. */
function runLength(points: number): number {
  return Math.min(8, Math.max(3, Math.ceil(points / 10)));
}

const relativeFloor = 0.1;

/**
 * Scores one series; pure. The order of points does not matter to it, since series are sorted. Adding a constant to all
 * values changes nothing but the relative floor; undefined where the window holds too few points to say anything.
 */
export function score(
  series: Series,
  { periods, expect, floor, quantile = false, fromZero = false }: ScoreOptions,
): Departure | undefined {
  const { baselineFrom, from, to, step } = periods;
  const before = series.points.filter(({ t }) => t >= baselineFrom && t < from);
  const within = series.points.filter(({ t }) => t >= from && t <= to);
  const run = runLength(within.length);
  if (within.length < Math.min(run, 3)) return undefined;

  const remarks: Remark[] = [];
  if (series.gone > 0) remarks.push("values that are no numbers");
  if (hasGaps([...before, ...within])) remarks.push("gaps");
  if (to - (within.at(-1) as Point).t > Math.max(5 * step, (to - from) / 10)) remarks.push("ended in the window");

  const born = before.length < 3;
  if (born) remarks.push("born in the window");
  if (born && !fromZero) return { score: 0, direction: "up", after: median(within.map(({ v }) => v)), remarks };
  const values = before.map(({ v }) => v);
  const middle = born ? 0 : median(values);
  const scale = Math.max(spread(values), relativeFloor * Math.abs(middle), floor, Number.MIN_VALUE);

  const directions: readonly Direction[] = expect === "any" ? ["up", "down"] : [expect === "high" ? "up" : "down"];
  const found = directions
    .map((direction) => rise({ before, within, middle, scale, sign: direction === "up" ? 1 : -1, run }))
    .map((one, index) => ({ ...one, direction: directions[index] as Direction }))
    .reduce((best, next) => (next.score > best.score ? next : best));
  const { onset } = found;
  const later = onset === undefined ? within : within.filter(({ t }) => t >= onset);
  if (onset !== undefined && quantile && standsStill(later)) remarks.push("stands at a bucket's edge");
  return {
    score: found.score,
    direction: found.direction,
    ...(born ? {} : { before: middle }),
    after: median(later.map(({ v }) => v)),
    ...(onset === undefined ? {} : { onset }),
    remarks: [...remarks, ...found.remarks],
  };
}

/** Measured by its own rhythm: servers choose steps of their own. */
function hasGaps(points: readonly Point[]): boolean {
  const distances = points.slice(1).map(({ t }, index) => t - (points[index] as Point).t);
  const time = distances.reduce((sum, distance) => sum + distance, 0);
  return distances.length >= 5 && distances.length < (2 / 3) * (time / median(distances));
}

function standsStill(points: readonly Point[]): boolean {
  const values = points.map(({ v }) => v);
  const middle = median(values);
  return values.length >= 5 && middle !== 0 && spread(values) <= 0.002 * Math.abs(middle);
}
