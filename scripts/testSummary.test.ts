import { expect, test } from "vitest";
import { isStale } from "./isStale.ts";
import { summaryLine, testSummary } from "./testSummary.ts";

test("the last line counts tests, and a file that did not load as one failure", () => {
  const summary = testSummary({
    testResults: [
      { status: "passed", assertionResults: [{ status: "passed" }, { status: "passed" }, { status: "skipped" }] },
      { status: "failed", assertionResults: [{ status: "failed" }, { status: "passed" }] },
      { status: "failed", assertionResults: [] },
    ],
  });

  expect(summaryLine(summary)).toBe("3 passed, 2 failed, 1 skipped");
  expect(summaryLine({ passed: 7, failed: 0, skipped: 0 })).toBe("7 passed, 0 failed");
});

test("an installation is stale when a package is missing, older or no longer wanted", () => {
  const lock = { packages: { "": {}, "node_modules/a": { version: "1.0.0" }, "node_modules/b": { optional: true } } };

  expect(isStale(lock, { packages: { "node_modules/a": { version: "1.0.0" } } })).toBe(false);
  expect(isStale(lock, { packages: {} })).toBe(true);
  expect(isStale(lock, { packages: { "node_modules/a": { version: "0.9.0" } } })).toBe(true);
  expect(isStale(lock, { packages: { "node_modules/a": { version: "1.0.0" }, "node_modules/c": {} } })).toBe(true);
});
