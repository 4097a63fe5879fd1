/** The part of vitest's JSON report that the last line of `npm test` is made from. */
export interface TestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A file that failed without a failed test in it (it did not load, a hook broke) counts as one failure. */
export function testSummary({ testResults }: TestReport): TestSummary {
  const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === "passed").length;
  const failed = statuses.filter((status) => status === "failed").length;
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
  return { passed, failed: failed + broken, skipped: statuses.length - passed - failed };
}

export function summaryLine({ passed, failed, skipped }: TestSummary): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
