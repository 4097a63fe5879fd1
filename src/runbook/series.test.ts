import { expect, test } from "vitest";
import { readNames } from "./names.ts";
import { parseJson, readSeries } from "./series.ts";

const metric = { service: "payments" };

test.each([
  [
    "as Prometheus answers",
    { status: "success", data: { resultType: "matrix", result: [{ metric, values: [[1, "2"]] }] } },
  ],
  ["the data alone", { resultType: "matrix", result: [{ metric, values: [[1, "2"]] }] }],
  ["the array alone", [{ metric, values: [[1, "2"]] }]],
  ["an instant vector", { result: [{ metric, value: [1, "2"] }] }],
  ["numbers instead of texts", { data: [{ metric, values: [[1, 2]] }] }],
])("a series is read %s", (_, answer) => {
  expect(readSeries(JSON.stringify(answer))).toEqual([{ labels: metric, points: [{ t: 1000, v: 2 }], gone: 0 }]);
});

test("JSON behind a line of prose is read", () => {
  expect(readSeries(`Result of the query:\n${JSON.stringify([{ metric, values: [[1, "2"]] }])}`)).toHaveLength(1);
});

test("values that are no numbers are counted and left out; times are sorted, each once", () => {
  const values = [
    [3, "4"],
    [1, "NaN"],
    [2, "+Inf"],
    [2, "7"],
    [2, "8"],
    ["x", "1"],
  ];

  expect(readSeries(JSON.stringify({ result: [{ metric, values }] }))).toEqual([
    {
      labels: metric,
      points: [
        { t: 2000, v: 8 },
        { t: 3000, v: 4 },
      ],
      gone: 2,
    },
  ]);
});

test("an empty result is an answer; prose, streams and native histograms are no series", () => {
  expect(readSeries('{"data":{"result":[]}}')).toEqual([]);
  expect(readSeries("no data")).toBeUndefined();
  expect(readSeries('{"data":{"result":[{"stream":{"a":"b"},"values":[["1","line"]]}]}}')).toBeUndefined();
  expect(readSeries('{"result":[{"metric":{},"histograms":[[1,{"count":"2"}]]}]}')).toBeUndefined();
});

test("text that only looks like JSON is none", () => {
  expect(parseJson("[ERROR] payments is down")).toBeUndefined();
});

test.each([
  ['["b","a","b"]'],
  ['{"status":"success","data":["a","b"]}'],
  ['{"ok":true,"data":{"services":["b","a"]}}'],
  ['{"data":[{"name":"a"},{"name":"b"}]}'],
])("names are read from %s", (text) => {
  expect(readNames(text)).toEqual(["a", "b"]);
});
