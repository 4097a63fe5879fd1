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
export class WindowError extends Error {
  override readonly name = "WindowError";
  readonly code = "invalid-window";
}

/** The first instant that has a date, ms. */
const earliest = -8.64e15;
const defaultSince = 30 * 60_000;

/** The window under investigation, and as its baseline the equally long time before it. */
export function timeWindow({ since, from, to, now }: WindowInput): Window {
  if (since !== undefined && from !== undefined) throw new WindowError("give either --since or --from, not both");
  const end = to === undefined ? now : parseInstant(to, now);
  const start = from === undefined ? end - (since ?? defaultSince) : parseInstant(from, now);
  if (end > now) throw new WindowError(`the window ends in the future: ${iso(end)} is after ${iso(now)}`);
  if (start >= end) throw new WindowError(`the window ends before it starts: ${iso(start)} is not before ${iso(end)}`);
  const baselineFrom = start - (end - start);
  if (baselineFrom < earliest) throw new WindowError("the window is too long: it begins before all dates");
  return { from: start, to: end, baselineFrom };
}

/**
 * Reads `2026-11-30T14:00:00Z` (or with an offset, or without one as local time, or the day alone), `14:00` or `14:00:30` (local time, the
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
  const [, day = "", time = ""] = /^(\d{4}-\d\d-\d\d)(.*)$/s.exec(text) ?? [];
  // A bare date would be midnight in UTC, where the same date with a time is local.
  const parsed = isDay(day) ? Date.parse(time === "" ? `${day}T00:00` : text) : Number.NaN;
  if (Number.isNaN(parsed))
    throw new WindowError(`${JSON.stringify(text)} is no time: write 14:00, 2026-11-30T14:00:00Z or Unix seconds`);
  return parsed;
}

/** Of the calendar: `Date.parse` takes February 31 for March 3. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(time) && iso(time).startsWith(day);
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
