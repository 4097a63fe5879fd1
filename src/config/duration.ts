/** `30s`, `10m`, `1h30m`, `250ms`: whole numbers, longest unit first. */
export const durationPattern = /^(?=\d)(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** What a timer can hold: Node fires at once beyond. */
export const longestDuration = 2 ** 31 - 1;

/** Milliseconds of a text that matches `durationPattern`. */
export function parseDuration(text: string): number {
  const [hours, minutes, seconds, rest] = (durationPattern.exec(text) ?? []).slice(1).map((part) => Number(part ?? 0));
  return (hours ?? 0) * 3_600_000 + (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1_000 + (rest ?? 0);
}
