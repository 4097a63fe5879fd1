import fc from "fast-check";
import { expect, test } from "vitest";
import { fillArguments, fillHoles } from "./fillHoles.ts";
import { isTimeHole, timeValues } from "./timeHoles.ts";

const filled = <T>(value: T) => ({ kind: "filled", value });
const odd = 'a"b\\c.d*';

test.each([
  ['x{a="$v"}', 'x{a="a\\"b\\\\c.d*"}'],
  ["x{a='$v'}", "x{a='a\"b\\\\c.d*'}"],
  ['x{a=~"$v"}', 'x{a=~"a\\"b\\\\\\\\c\\\\.d\\\\*"}'],
  ['{a="b"} |~ `^$v$`', '{a="b"} |~ `^a"b\\\\c\\.d\\*$`'],
  ['{a=~ "(${v}|x)"}', '{a=~ "(a\\"b\\\\\\\\c\\\\.d\\\\*|x)"}'],
  ['x{a="1"} # of $v and $none', 'x{a="1"} # of $v and $none'],
  ['x{a=~"^5..$"} > $$', 'x{a=~"^5..$"} > $'],
  ['label_replace(x, "a", "$1", "b", "(.*)")', 'label_replace(x, "a", "$1", "b", "(.*)")'],
  ['x{a="$$v"}', 'x{a="$v"}'],
])("in %s the value means itself", (text, expected) => {
  expect(fillHoles(text, { v: odd })).toEqual(filled(expected));
});

test("outside of strings only names, numbers and durations are taken", () => {
  const text = "topk($n, $metric[${range}])";

  expect(fillHoles(text, { n: 5, metric: "up", range: "5m" })).toEqual(filled("topk(5, up[5m])"));
  expect(fillHoles(text, { n: 5, metric: "up) or vector(1", range: "5m" })).toEqual({
    kind: "refused",
    hole: "metric",
    reason: '"up) or vector(1" cannot stand there',
  });
  expect(fillHoles("x{a=`$v`}", { v: "`" })).toMatchObject({ kind: "refused", hole: "v" });
});

test("holes without a value are named, once, and the prototype has none", () => {
  expect(fillHoles("$b $a $b $toString", { a: 1 })).toEqual({ kind: "missing", holes: ["b", "toString"] });
  expect(fillArguments({ x: ["$b", { y: "$a ${b}" }] }, { a: 1 })).toEqual({ kind: "missing", holes: ["b"] });
});

test("arguments: a text that is one hole becomes the value, keys stay, longer texts take harmless values only", () => {
  const values = { n: 5, service: "payments", bad: 'x"}' };

  expect(fillArguments({ n: "$n", m: "${n}m", $n: [true, "$service"], s: "$bad", d: "$$n" }, values)).toEqual(
    filled({ n: 5, m: "5m", $n: [true, "payments"], s: 'x"}', d: "$n" }),
  );
  expect(fillArguments({ q: '{a="$bad"}' }, values)).toMatchObject({ kind: "refused", hole: "bad" });
});

test("a value in a string literal never leaves it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const result = fillHoles('x{a="$v"}', { v: value });
      expect(result.kind).toBe("filled");
      if (result.kind !== "filled") return;
      const literal = result.value.slice('x{a="'.length, -'"}'.length);
      expect(/^(?:[^"\\\n]|\\.)*$/.test(literal)).toBe(true);
      expect(
        literal.replaceAll(/\\([nrt])|\\(.)/g, (_, line: string, other: string) => {
          return line === undefined ? other : ({ n: "\n", r: "\r", t: "\t" }[line] ?? "");
        }),
      ).toBe(value);
    }),
  );
});

test("the time holes of a window", () => {
  const from = Date.UTC(2026, 10, 30, 14, 0, 0, 400);
  const times = { from, to: from + 1_800_000, now: from + 1_830_000, step: 15_000 };

  expect(timeValues(times)).toEqual({
    from: "2026-11-30T14:00:00.400Z",
    to: "2026-11-30T14:30:00.400Z",
    from_unix: 1_796_047_200,
    to_unix: 1_796_049_001,
    lookback_minutes: 31,
    step: "15s",
    __interval: "15s",
    __auto: "15s",
    __range: "1800s",
    __range_s: 1800,
    __rate_interval: "60s",
  });
  expect(timeValues({ ...times, scrapeInterval: 1000, step: 1000 })["__rate_interval"]).toBe("4s");
  expect(isTimeHole("from") && !isTimeHole("service") && !isTimeHole("constructor")).toBe(true);
});
