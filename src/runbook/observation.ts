import type { FoundSeries, Gathered } from "./gather.ts";
import { type Departure, type Periods, score } from "./score.ts";

/** Where something was read: the number of the call and the server that answered it. */
export interface Source {
  readonly call: number;
  readonly server: string;
}

/** A series and how it departs from its baseline. */
export interface Observation extends FoundSeries {
  readonly departure: Departure;
}

/** What was gathered, compared. */
export interface Compared extends Gathered {
  readonly observations: readonly Observation[];
  readonly periods: Periods;
  /** Where there are hardly any data of the baseline: since when there are. The periods then lie within what there is. */
  readonly dataFrom?: number;
}

/** Less of the baseline than this share is none. */
const leastBaseline = 0.25;
/** Of what there is, the first part is then taken as the baseline. */
const takenInstead = 1 / 3;

/** Scores all series. Those with too few points in the window to say anything are left out. Pure. */
export function compare(gathered: Gathered, asked: Periods): Compared {
  const dataFrom = firstData(gathered);
  const { baselineFrom, from, to } = asked;
  const isShort = dataFrom !== undefined && dataFrom > from - leastBaseline * (from - baselineFrom);
  const periods = isShort
    ? { ...asked, baselineFrom: dataFrom, from: Math.round(dataFrom + takenInstead * (to - dataFrom)) }
    : asked;
  const observations = gathered.series.flatMap((found) => {
    const { expect, floor, quantile, fromZero } = found.signal;
    const departure = score(found.series, { periods, expect, floor, quantile, fromZero });
    if (!departure) return [];
    const remarks = found.resets > 0 ? [...departure.remarks, "counter was reset" as const] : departure.remarks;
    return [{ ...found, departure: { ...departure, remarks } }];
  });
  return { ...gathered, observations, periods, ...(isShort ? { dataFrom } : {}) };
}

function firstData({ series, spans }: Gathered): number | undefined {
  let first: number | undefined;
  for (const { series: one } of series) {
    const [point] = one.points;
    if (point && (first === undefined || point.t < first)) first = point.t;
  }
  if (series.length > 0) return first;
  for (const { start } of spans) if (first === undefined || start < first) first = start;
  return first;
}
