import { expect, test } from "vitest";
import { timeWindow } from "./timeWindow.ts";

const now = new Date(2026, 10, 30, 14, 30, 0).getTime();
const minutes = 60_000;

test("the window is the last half hour, and the baseline as long a time before it", () => {
  expect(timeWindow({ now })).toEqual({ from: now - 30 * minutes, to: now, baselineFrom: now - 60 * minutes });
});

test("a clock time is the last one that has passed", () => {
  expect(timeWindow({ now, from: "14:00" }).from).toBe(now - 30 * minutes);
  expect(timeWindow({ now, from: "14:31" }).from).toBe(now - (24 * 60 - 1) * minutes);
});

test("ISO times and Unix seconds are read, and --since counts back from --to", () => {
  const to = "2026-11-01T10:00:00Z";

  expect(timeWindow({ now, to, since: 5 * minutes })).toMatchObject({
    from: Date.parse(to) - 5 * minutes,
    to: Date.parse(to),
  });
  expect(timeWindow({ now, to: "1700000600", from: "1700000000" })).toMatchObject({
    from: 1_700_000_000_000,
    to: 1_700_000_600_000,
  });
});

test.each([
  [{ from: "yesterday" }, '"yesterday" is no time'],
  [{ from: "2026-02-31" }, '"2026-02-31" is no time'],
  [{ from: "2026-02-29T10:00:00Z" }, '"2026-02-29T10:00:00Z" is no time'],
  [{ from: "25:00" }, '"25:00" is no time'],
  [{ from: "14:10", to: "14:00" }, "ends before it starts"],
  [{ to: "2030-01-01T00:00:00Z" }, "ends in the future"],
  [{ since: 1e17 }, "the window is too long"],
  [{ since: 1, from: "14:00" }, "either --since or --from"],
])("%j is refused", (input, message) => {
  expect(() => timeWindow({ now, ...input })).toThrow(message);
});
