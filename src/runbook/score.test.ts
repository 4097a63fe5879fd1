import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { departs, highestScore } from "./rise.ts";
import { score } from "./score.ts";
import { counterRate, type Point } from "./series.ts";

const step = 15_000;
const periods = { baselineFrom: 0, from: 120 * step, to: 240 * step, step };

function series(valueAt: (index: number) => number | undefined) {
  const points = Array.from({ length: 240 }, (_, index): readonly Point[] => {
    const v = valueAt(index);
    return v === undefined ? [] : [{ t: index * step, v }];
  });
  return { labels: {}, points: points.flat(), gone: 0 };
}

/** Repeats, so that a test does not depend on luck. */
const wobble = (index: number) => [0, 3, 1, 4, 2, 5, 3, 1][index % 8] as number;
const options = { periods, expect: "high", floor: 1 } as const;

describe("a step up", () => {
  const found = score(
    series((index) => (index < 170 ? 20 : 600) + wobble(index)),
    options,
  );

  test("departs, with its values before and after", () => {
    expect(found?.score).toBeGreaterThan(50);
    expect(found).toMatchObject({ direction: "up", before: 22.5, remarks: [] });
    expect(found?.after).toBeCloseTo(602.5);
  });

  test("has its onset at the first sample of it", () => {
    expect(found?.onset).toBe(170 * step);
  });

  test("is none where only a fall counts", () => {
    const fall = score(
      series((index) => (index < 170 ? 20 : 600) + wobble(index)),
      { ...options, expect: "low" },
    );

    expect(fall?.score).toBeLessThan(departs);
    expect(fall?.onset).toBeUndefined();
  });
});

test("a series without any spread is measured by the floor and the relative floor", () => {
  const flat = (after: number) =>
    score(
      series((index) => (index < 150 ? 10 : after)),
      options,
    );

  expect(flat(10)?.score).toBe(0);
  expect(flat(13)?.score).toBeLessThan(departs);
  expect(flat(20)?.score).toBe(10);
});

test("a spike that does not last is no departure", () => {
  const found = score(
    series((index) => (index > 180 && index < 184 ? 5000 : 20) + wobble(index)),
    options,
  );

  expect(found?.score).toBeLessThan(departs);
});

test("growth that goes on as before the window is no evidence, and that is said", () => {
  const found = score(
    series((index) => 100 + 5 * index + wobble(index)),
    options,
  );

  expect(found?.score).toBeLessThan(departs);
  expect(found?.remarks).toEqual(["grew as fast before"]);
});

test("growth that quickens in the window departs", () => {
  const found = score(
    series((index) => 100 + index + (index > 150 ? 20 * (index - 150) : 0) + wobble(index)),
    options,
  );

  expect(found?.score).toBeGreaterThan(departs);
  expect(found?.onset).toBeLessThan(165 * step);
});

test("swings as wide as those of the baseline are no evidence, and that is said", () => {
  const found = score(
    series((index) => (index % 60 > 45 ? 500 : 20) + wobble(index)),
    options,
  );

  expect(found?.score).toBeLessThan(departs);
  expect(found?.remarks).toEqual(["as unsteady before"]);
});

test("a series born in the window is held against zero where none means zero, else against nothing; that is said", () => {
  const born = (fromZero: boolean) =>
    score(
      series((index) => (index < 150 ? undefined : 40)),
      { ...options, fromZero },
    );

  expect(born(true)?.score).toBe(40);
  expect(born(false)?.score).toBe(0);
  for (const found of [born(true), born(false)]) {
    expect(found).not.toHaveProperty("before");
    expect(found?.remarks).toEqual(["born in the window"]);
  }
});

test("gaps, an early end and values that are no numbers are said", () => {
  const holed = score({ ...series((index) => (index % 40 >= 20 ? 20 : undefined)), gone: 7 }, options);
  const ended = score(
    series((index) => (index < 200 ? 20 : undefined)),
    options,
  );

  expect(holed?.remarks).toEqual(["values that are no numbers", "gaps"]);
  expect(ended?.remarks).toEqual(["ended in the window"]);
});

test("a window without points gives nothing: an hour off is not a fall to zero", () => {
  const early = { ...series((index) => 20 + wobble(index)) };

  expect(
    score({ ...early, points: early.points.map(({ t, v }) => ({ t: t - 240 * step, v })) }, options),
  ).toBeUndefined();
});

test("quantiles that stand still at one level are said to be at a bucket's edge", () => {
  const at = (quantile: boolean) =>
    score(
      series((index) => (index < 170 ? 20 + wobble(index) : 487.5)),
      { ...options, quantile },
    );

  expect(at(true)?.remarks).toEqual(["stands at a bucket's edge"]);
  expect(at(false)?.remarks).toEqual([]);
});

test("a counter that is reset goes on from zero", () => {
  const counter = series((index) => (index < 130 ? 30 * index : 30 * (index - 130)));

  const { series: rate, resets } = counterRate(counter);

  expect(resets).toBe(1);
  expect(Math.min(...rate.points.map(({ v }) => v))).toBeGreaterThanOrEqual(0);
  expect(score(rate, options)?.score).toBe(0);
});

const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 240, maxLength: 240 });

test("other units give the same score, direction and onset", () => {
  fc.assert(
    fc.property(values, fc.constantFrom(0.25, 8, 1024), (list, factor) => {
      const one = score(
        series((index) => list[index]),
        { ...options, expect: "any" },
      );
      const other = score(
        series((index) => (list[index] as number) * factor),
        { ...options, expect: "any", floor: factor },
      );

      expect(other?.score).toBeCloseTo(one?.score ?? -1, 6);
      expect(other?.onset).toBe(one?.onset);
    }),
  );
});

test("whatever the values, the score is a number between zero and the highest", () => {
  const anyValue = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(undefined));
  fc.assert(
    fc.property(fc.array(anyValue, { maxLength: 240 }), fc.constantFrom("high", "low", "any"), (list, expected) => {
      const found = score(
        series((index) => list[index]),
        { ...options, expect: expected },
      );

      if (found === undefined) return;
      expect(found.score).toBeGreaterThanOrEqual(0);
      expect(found.score).toBeLessThanOrEqual(highestScore);
      expect(found.after).not.toBeNaN();
    }),
  );
});
