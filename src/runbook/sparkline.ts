import { median } from "./robust.ts";
import type { Point } from "./series.ts";

const bars = "▁▂▃▄▅▆▇█";

/** A series from `from` to `to` as `width` characters of text, each the median of its time; a gap is a space. */
export function sparkline(
  points: readonly Point[],
  { from, to, width = 16 }: { readonly from: number; readonly to: number; readonly width?: number },
): string {
  const parts = Map.groupBy(
    points.filter(({ t }) => t >= from && t <= to),
    ({ t }) => Math.min(width - 1, Math.floor(((t - from) / (to - from)) * width)),
  );
  const values = Array.from({ length: width }, (_, index) => {
    const part = parts.get(index);
    return part === undefined ? undefined : median(part.map(({ v }) => v));
  });
  const known = values.filter((value) => value !== undefined);
  const low = Math.min(...known);
  const range = Math.max(...known) - low;
  return values
    .map((value) => {
      if (value === undefined) return " ";
      return bars[range === 0 ? 0 : Math.round(((value - low) / range) * (bars.length - 1))];
    })
    .join("");
}
