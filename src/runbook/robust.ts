/** The `q`-quantile, linear between neighbours; NaN of nothing. `sorted` must be ascending. */
function quantileOf(sorted: ArrayLike<number>, q: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = Math.min(1, Math.max(0, q)) * (sorted.length - 1);
  const low = sorted[Math.floor(place)] as number;
  const high = sorted[Math.ceil(place)] as number;
  return low === high ? low : low + (high - low) * (place - Math.floor(place));
}

export function quantile(values: readonly number[], q: number): number {
  return quantileOf(Float64Array.from(values).sort(), q);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The interquartile range as a standard deviation would be: what half of the values keep to, whatever the others do. */
export function spread(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted.length < 2 ? 0 : (quantileOf(sorted, 0.75) - quantileOf(sorted, 0.25)) / 1.349;
}

/**
 * The highest level that `count` neighbours reach together: one spike does not raise it. Of fewer values than that,
 * -Infinity.
 */
export function sustained(values: readonly number[], count: number): number {
  let best = Number.NEGATIVE_INFINITY;
  for (let end = count; end <= values.length; end++) {
    let lowest = Number.POSITIVE_INFINITY;
    for (let index = end - count; index < end; index++) lowest = Math.min(lowest, values[index] as number);
    best = Math.max(best, lowest);
  }
  return best;
}

/** Rise per unit of time: the median slope between halves (Theil and Sen's idea, in linear time); 0 of fewer than four points. */
export function slope(points: readonly { readonly t: number; readonly v: number }[]): number {
  const half = Math.floor(points.length / 2);
  if (half < 2) return 0;
  const slopes: number[] = [];
  for (let index = 0; index + half < points.length; index++) {
    const { t: t0, v: v0 } = points[index] as { t: number; v: number };
    const { t: t1, v: v1 } = points[index + half] as { t: number; v: number };
    if (t1 > t0) slopes.push((v1 - v0) / (t1 - t0));
  }
  return slopes.length === 0 ? 0 : median(slopes);
}
