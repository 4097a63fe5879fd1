import type { Covering, RangeRequest, TimeRange } from "./preset.ts";

/** How far a call with this way of writing time covers the window, and no more than it. */
export function coveringOf(time: TimeRange, { from, to, now }: Omit<RangeRequest, "step">): Covering {
  if (time.kind === "none") return { kind: "instant", at: now, reason: "the tool only knows what is now" };
  if (time.kind !== "lookback_minutes") return { kind: "exact" };
  const start = now - Math.max(1, Math.ceil((now - from) / 60_000)) * 60_000;
  if (start === from && to >= now) return { kind: "exact" };
  return { kind: "superset", from: start, to: now, reason: "the tool knows whole minutes before now only" };
}

/** The same for an `mcp` block, told by the time holes in its arguments. */
export function coveringOfHoles(holes: readonly string[], request: Omit<RangeRequest, "step">): Covering {
  const holdsBoth = (from: string, to: string) => holes.includes(from) && holes.includes(to);
  if (holdsBoth("from", "to") || holdsBoth("from_unix", "to_unix")) return { kind: "exact" };
  if (holes.includes("from") || holes.includes("from_unix"))
    return { kind: "superset", from: request.from, to: request.now, reason: "the call names no end" };
  if (holes.includes("lookback_minutes")) return coveringOf({ kind: "lookback_minutes", argument: "" }, request);
  return coveringOf({ kind: "none" }, request);
}
