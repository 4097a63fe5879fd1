import { median, slope, sustained } from "./robust.ts";
import type { Remark } from "./score.ts";
import type { Point } from "./series.ts";

export const highestScore = 1000;

/** From here on a deviation is one: a series without incident rarely holds it. */
export const departs = 4;

export interface Sides {
  readonly before: readonly Point[];
  /** Never empty. */
  readonly within: readonly Point[];
  /** Median of the baseline. */
  readonly middle: number;
  /** What one deviation is; above zero. */
  readonly scale: number;
  /** 1 for a rise; -1 for a fall, which is a rise of what is below. */
  readonly sign: 1 | -1;
  /** How many points in a row count. */
  readonly run: number;
}

export interface Rise {
  /** 0 to `highestScore`. */
  readonly score: number;
  /** Time of the first sample; only where it departs. */
  readonly onset?: number;
  readonly remarks: readonly Remark[];
}

/**
 * How far a window rises above its baseline, in deviations that it holds for `run` points. What goes on as it did before
 * is no news, however far it gets: neither a trend of the baseline nor a level that the baseline holds as well.
 */
export function rise({ before, within, middle, scale, sign, run }: Sides): Rise {
  const origin = median(before.map(({ t }) => t));
  const trend = Math.max(0, sign * slope(before));
  const plain = ({ v }: Point) => (sign * (v - middle)) / scale;
  const level = (point: Point) =>
    trend > 0 ? plain(point) - Math.max(0, (trend * (point.t - origin)) / scale) : plain(point);

  const levels = within.map(level);
  const length = Math.min(run, levels.length);
  const held = sustained(levels, length);
  if (!(held >= departs)) {
    const reached = sustained(within.map(plain), length);
    const grew = reached >= departs / 2 && held < reached / 2;
    return { score: bounded(held), remarks: grew ? ["grew as fast before"] : [] };
  }
  const usual = before.map(level);
  const clear = held - Math.max(0, sustained(usual, run));
  if (!(clear >= departs)) return { score: bounded(clear), remarks: ["as unsteady before"] };
  const onset = onsetOf(levels, { length, held, usual });
  return { score: bounded(clear), ...(onset === undefined ? {} : { onset: (within[onset] as Point).t }), remarks: [] };
}

/**
 * Where the levels first hold half of what they reach, and back from there to where they left what is usual. An earlier
 * and weaker departure that was over before it is not its onset.
 */
function onsetOf(
  levels: readonly number[],
  { length, held, usual }: { length: number; held: number; usual: readonly number[] },
): number | undefined {
  const high = Math.max(departs, held / 2);
  const first = levels.findIndex((_, index) => {
    const next = levels.slice(index, index + length);
    return next.length === length && next.every((one) => one >= high);
  });
  if (first < 0) return undefined;
  const quiet = usual.filter((one) => one < departs).reduce((most, one) => Math.max(most, one), 1.5);
  let onset = first;
  while (onset > 0 && (levels[onset - 1] as number) > quiet) onset -= 1;
  return onset;
}

function bounded(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(highestScore, Math.max(0, value));
}
