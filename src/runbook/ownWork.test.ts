import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownChanges } from "./ownChange.ts";
import { ownWork } from "./ownWork.ts";
import { readSpans, type Span } from "./spans.ts";

function span(id: string, service: string, start: number, duration: number, more: Partial<Span> = {}): Span {
  return { trace: "t", id, service, name: id, start, duration, failed: false, ...more };
}

function servicesOf(...spans: readonly Span[]) {
  const [work] = ownWork(spans);
  return Object.fromEntries(work?.services ?? []);
}

describe("checkout calls payments, which asks its database", () => {
  const spans = [
    span("checkout", "checkout", 0, 100),
    span("call", "checkout", 10, 80, { parent: "checkout", peer: "payments" }),
    span("charge", "payments", 12, 76, { parent: "call" }),
    span("query", "payments", 20, 60, { parent: "charge" }),
  ];

  test("own time is a span's without its children's; a call into another service costs the caller nothing", () => {
    expect(servicesOf(...spans)).toMatchObject({
      checkout: { time: 20, waited: 0, busiest: "checkout", elapsed: 100 },
      payments: { time: 76, waited: 4, busiest: "query", elapsed: 76 },
    });
  });

  test("who calls whom is known", () => {
    expect(ownWork(spans)[0]?.calls).toEqual([["checkout", "payments"]]);
  });

  test("an error is the service's own where it arose, and passed on above", () => {
    const failing = spans.map((one) => ({
      ...one,
      failed: true,
      ...(one.id === "query" ? { message: "no row" } : {}),
    }));

    const found = servicesOf(...failing);

    expect(found["payments"]).toMatchObject({ error: "no row", failed: true });
    expect(found["checkout"]?.failed).toBe(true);
    expect(found["checkout"]).not.toHaveProperty("error");
  });

  test("a span that comes twice counts once", () => {
    expect(servicesOf(...spans, ...spans)).toEqual(servicesOf(...spans));
  });
});

test("children that overlap are taken off once, and only as far as they lie within", () => {
  const found = servicesOf(
    span("root", "a", 0, 100),
    span("one", "a", 10, 50, { parent: "root" }),
    span("two", "a", 40, 30, { parent: "root" }),
    span("late", "a", 90, 50, { parent: "root" }),
  );

  expect(found["a"]?.time).toBe(30 + 50 + 30 + 50);
});

test("a call that nobody answers counts for the service that was called", () => {
  const found = servicesOf(
    span("root", "checkout", 0, 60, { failed: true }),
    span("call", "checkout", 10, 40, { parent: "root", peer: "payments", failed: true, message: "refused" }),
  );

  expect(found["payments"]).toMatchObject({ time: 40, error: "refused" });
  expect(found["checkout"]).toMatchObject({ time: 20 });
  expect(found["checkout"]).not.toHaveProperty("error");
});

test("without a span of the call, the caller's own time is still its own", () => {
  const found = servicesOf(span("root", "checkout", 0, 100), span("charge", "payments", 20, 70, { parent: "root" }));

  expect(found).toMatchObject({ checkout: { time: 30 }, payments: { time: 70, waited: 0 } });
});

test("a span whose parent is missing is a root", () => {
  expect(servicesOf(span("orphan", "a", 5, 7, { parent: "gone" }))["a"]?.time).toBe(7);
});

test("a trace of Tempo is read, ids and times as it writes them", async () => {
  const path = join(import.meta.dirname, "../../test/fixtures/loki-tempo/tempo-trace.json");
  const { body } = JSON.parse(await readFile(path, "utf8")) as { body: string };

  const spans = readSpans(body) ?? [];

  const [work] = ownWork(spans);
  expect([...(work?.services.keys() ?? [])].sort()).toEqual(["checkout", "inventory", "payments"]);
  expect(work?.calls).toContainEqual(["checkout", "payments"]);
  expect(work?.services.get("payments")?.time).toBeGreaterThan(1);
});

test("own time that grew and own errors that came are told from what is passed on", () => {
  const trace = (index: number, slow: boolean): readonly Span[] => {
    const own = slow ? 600 : 12 + (index % 5);
    const id = (name: string) => ({ trace: `t${index}`, id: name, start: index });
    return [
      { ...span("root", "checkout", 0, own + 30), ...id("root"), failed: slow },
      { ...span("charge", "payments", 0, own, { parent: "root" }), ...id("charge"), failed: slow, message: "no" },
    ];
  };
  const work = ownWork(Array.from({ length: 40 }, (_, index) => trace(index, index >= 20)).flat());

  const changes = ownChanges(work, 20);

  expect(changes.map(({ service, time, errors }) => [service, time.departed, errors.departed])).toEqual([
    ["checkout", false, false],
    ["payments", true, true],
  ]);
  expect(changes[0]).toMatchObject({ elapsed: { departed: true }, failed: { departed: true } });
  expect(changes[1]).toMatchObject({ time: { of: "median", after: 600 }, errors: { after: 1, message: "no" } });
});
