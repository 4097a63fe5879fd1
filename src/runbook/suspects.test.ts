import fc from "fast-check";
import { expect, test } from "vitest";
import type { Observation } from "./observation.ts";
import type { OwnChange } from "./ownChange.ts";
import type { SignalKind } from "./signal.ts";
import { type Facts, rankSuspects } from "./suspects.ts";

function observation(service: string, kind: SignalKind, value: number, before = 10): Observation {
  return {
    source: { call: 1, server: "prometheus" },
    signal: { kind, title: kind, expect: "high", floor: 1, quantile: false, fromZero: false, counter: false },
    series: { labels: { service }, points: [], gone: 0 },
    resets: 0,
    service,
    departure: { score: value, direction: "up", before, after: 100, onset: 5, remarks: [] },
  };
}

function change(
  service: string,
  grown: Partial<Record<"time" | "errors" | "waited" | "elapsed" | "failed", boolean>>,
): OwnChange {
  const of = (departed = false) => ({ before: 5, after: departed ? 500 : 5, score: departed ? 9 : 0, departed });
  const share = (departed = false) => ({ before: 0, after: departed ? 0.5 : 0, score: departed ? 9 : 0, departed });
  return {
    service,
    traces: { before: 50, after: 50 },
    time: { ...of(grown.time), of: "median", busiest: "query" },
    errors: { ...share(grown.errors), message: "no" },
    waited: of(grown.waited),
    elapsed: of(grown.elapsed),
    failed: share(grown.failed),
  };
}

const none: Facts = { observations: [], changes: [], calls: [], totalBefore: 20 };
const chain: Facts["calls"] = [
  ["gateway", "checkout"],
  ["checkout", "payments"],
];

test("where own time grew, the service goes before callers with a stronger symptom, and these pass it on", () => {
  const { suspects, tied } = rankSuspects({
    ...none,
    observations: [
      observation("gateway", "latency", 300),
      observation("checkout", "latency", 200),
      observation("payments", "latency", 100),
    ],
    changes: [
      change("gateway", { elapsed: true }),
      change("checkout", { elapsed: true }),
      change("payments", { time: true, elapsed: true }),
    ],
    calls: chain,
  });

  expect(tied).toBe(0);
  expect(suspects.map(({ service, passesOn }) => [service, passesOn])).toEqual([
    ["payments", undefined],
    ["gateway", "payments"],
    ["checkout", "payments"],
  ]);
});

test("own errors weigh more than own time", () => {
  const { suspects } = rankSuspects({
    ...none,
    changes: [change("checkout", { time: true }), change("payments", { errors: true })],
  });

  expect(suspects[0]?.service).toBe("payments");
});

test("a pool that runs full points at its service, whatever its caller suffers", () => {
  const { suspects } = rankSuspects({
    ...none,
    observations: [
      observation("checkout", "latency", 400),
      observation("payments", "latency", 390),
      observation("payments", "saturation", 30),
    ],
  });

  expect(suspects[0]).toMatchObject({ service: "payments" });
});

test("symptoms alone are a tie where they are about equal, and the quickest before comes first", () => {
  const { suspects, tied } = rankSuspects({
    ...none,
    observations: [observation("checkout", "latency", 190, 46), observation("payments", "latency", 186, 24)],
  });

  expect(tied).toBe(2);
  expect(suspects.map(({ service }) => service)).toEqual(["payments", "checkout"]);
});

test("who calls whom breaks a tie of symptoms: they travel to callers only", () => {
  const { suspects, tied } = rankSuspects({
    ...none,
    observations: [observation("checkout", "errors", 44), observation("payments", "errors", 43)],
    calls: chain,
  });

  expect(tied).toBe(0);
  expect(suspects.map(({ service }) => service)).toEqual(["payments", "checkout"]);
});

test("traffic that falls is followed, not suspected", () => {
  const { suspects } = rankSuspects({
    ...none,
    observations: [observation("inventory", "traffic", 900), observation("checkout", "errors", 60)],
  });

  expect(suspects[0]?.service).toBe("checkout");
});

test("a caller whose traces did not change is not said to pass anything on", () => {
  const { suspects } = rankSuspects({
    ...none,
    observations: [observation("checkout", "memory", 20)],
    changes: [change("checkout", {}), change("payments", { time: true })],
    calls: chain,
  });

  expect(suspects.find(({ service }) => service === "checkout")).not.toHaveProperty("passesOn");
});

test("nothing departed: nobody is suspected", () => {
  expect(rankSuspects({ ...none, observations: [observation("checkout", "latency", 3.9)] })).toEqual({
    suspects: [],
    tied: 0,
  });
});

test("the order of observations does not matter", () => {
  const observations = ["a", "b", "c", "d"].flatMap((service, index) => [
    observation(service, "latency", 50 + index, 10 + index),
    observation(service, "errors", 20 * index),
  ]);
  const expected = rankSuspects({ ...none, observations }).suspects.map(({ service, weight }) => [service, weight]);

  fc.assert(
    fc.property(fc.shuffledSubarray(observations, { minLength: observations.length }), (shuffled) => {
      const { suspects } = rankSuspects({ ...none, observations: shuffled });
      expect(suspects.map(({ service, weight }) => [service, weight])).toEqual(expected);
    }),
  );
});
