/** Parts of the test set-up that a laptop may lack. CI has all of them. */
export type Part = "git" | "postgres" | "prometheus" | "alertmanager" | "go-servers";

/**
 * Options for `describe` or `test`: skips it where `npm test` found a part missing (and says so at its end, through
 * `KORVUS_TEST_WITHOUT`). Under CI nothing is ever skipped.
 *
 *     describe("on a live Prometheus", needs("prometheus"), () => { ... });
 */
export function needs(...parts: readonly Part[]): { skip: boolean } {
  const without = new Set((process.env["KORVUS_TEST_WITHOUT"] ?? "").split(","));
  return { skip: !process.env["CI"] && parts.some((part) => without.has(part)) };
}
