import type { Window } from "../agent/events.ts";

export interface WindowInput {
  /** ms; default 30 minutes. */
  readonly since?: number;
  /** An instant as people write it; see `parseInstant`. */
  readonly from?: string;
  readonly to?: string;
  /** What the run takes as now, ms. */
  readonly now: number;
}

/** A window that cannot be meant. The message says what is wrong with it. */
class WindowError extends Error {
  override readonly name = "WindowError";
  readonly code = "invalid-window";
}

const defaultSince = 30 * 60_000;

/** The window under investigation, and as its baseline the equally long time before it. */
export function timeWindow({ since, from, to, now }: WindowInput): Window {
  if (since !== undefined && from !== undefined) throw new WindowError("give either --since or --from, not both");
  const end = to === undefined ? now : parseInstant(to, now);
  const start = from === undefined ? end - (since ?? defaultSince) : parseInstant(from, now);
  if (end > now) throw new WindowError(`the window ends in the future: ${iso(end)} is after ${iso(now)}`);
  if (start >= end) throw new WindowError(`the window ends before it starts: ${iso(start)} is not before ${iso(end)}`);
  return { from: start, to: end, baselineFrom: start - (end - start) };
}

/**
 * Reads `2026-11-30T14:00:00Z` (or with an offset, or without one as local time), `14:00` or `14:00:30` (local time, the
 * last one that has passed) and Unix seconds.
 */
export function parseInstant(text: string, now: number): number {
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  if (clock) {
    const today = new Date(now);
    today.setHours(Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0), 0);
    if (today.getTime() > now) today.setDate(today.getDate() - 1);
    return today.getTime();
  }
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const parsed = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(parsed))
    throw new WindowError(`${JSON.stringify(text)} is no time: write 14:00, 2026-11-30T14:00:00Z or Unix seconds`);
  return parsed;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
