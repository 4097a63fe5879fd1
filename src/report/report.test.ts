import { expect, test } from "vitest";
import { checkCitations } from "./checkCitations.ts";
import { serverCoverage } from "./coverage.ts";
import type { ReportClaim, Verdict } from "./report.ts";
import { parseClaim, reportSchema } from "./reportClaim.ts";

const calls = [
  { number: 1, server: "prometheus", outcome: "ok" },
  { number: 2, server: "prometheus", outcome: "empty" },
  { number: 3, server: "loki", outcome: "error" },
  { number: 4, server: "loki", outcome: "denied" },
  { number: 5, server: "loki", outcome: "timeout" },
  { number: 6, server: "loki", outcome: "unknown" },
  { number: 7, outcome: "ok" },
] as const;

function claim(verdict: Verdict, ...evidence: [call: number, server: string][][]): ReportClaim {
  const findings = evidence.map((citations, index) => ({
    statement: `finding ${index}`,
    evidence: citations.map(([call, server]) => ({ call, server })),
  }));
  return { summary: "s", verdict, findings, limits: [], nextSteps: [] };
}

test("a finding whose calls exist, succeeded and brought data is supported, and the verdict stands", () => {
  const { findings, verdict } = checkCitations(claim("confirmed", [[1, "prometheus"]]), calls);

  expect(findings[0]).toMatchObject({ status: "supported", problems: [] });
  expect(verdict).toBe("confirmed");
});

test.each([
  [[], "cites no tool call"],
  [[[9, "prometheus"]], "call 9 was never made"],
  [[[1, "loki"]], "call 1 went to prometheus, not to loki"],
  [[[2, "prometheus"]], "call 2 returned nothing"],
  [[[3, "loki"]], "call 3 failed"],
  [[[4, "loki"]], "call 4 was denied"],
  [[[5, "loki"]], "call 5 timed out"],
  [[[6, "loki"]], "call 6 broke off without an answer"],
  [[[7, "report"]], "call 7 asked no server"],
] as [[number, string][], string][])("evidence %j makes a finding unsupported: %s", (evidence, problem) => {
  const { findings, verdict } = checkCitations(claim("confirmed", evidence), calls);

  expect(findings[0]).toMatchObject({ status: "unsupported", problems: [problem] });
  expect(verdict).toBe("inconclusive");
});

test("one bad citation beside a good one makes the finding unsupported", () => {
  const { findings } = checkCitations(
    claim("likely", [
      [1, "prometheus"],
      [2, "prometheus"],
    ]),
    calls,
  );

  expect(findings[0]?.status).toBe("unsupported");
});

test("an unsupported finding beside a supported one caps the verdict at likely", () => {
  expect(checkCitations(claim("confirmed", [[1, "prometheus"]], []), calls).verdict).toBe("likely");
  expect(checkCitations(claim("inconclusive", [[1, "prometheus"]], []), calls).verdict).toBe("inconclusive");
});

test("without findings the verdict is inconclusive", () => {
  expect(checkCitations(claim("confirmed"), calls).verdict).toBe("inconclusive");
});

test("empty, failed, not asked and not connected are told apart", () => {
  const servers = ["answered", "empty", "failed", "denied", "idle"].map((name) => ({ name, connected: true }));
  const asked = [
    { number: 1, server: "answered", outcome: "error" },
    { number: 2, server: "answered", outcome: "ok" },
    { number: 3, server: "empty", outcome: "empty" },
    { number: 4, server: "failed", outcome: "timeout" },
    { number: 5, server: "denied", outcome: "denied" },
  ] as const;

  const coverage = serverCoverage([...servers, { name: "gone", connected: false, reason: "refused" }], asked);

  expect(coverage.map(({ server, state }) => `${server}: ${state}`)).toEqual([
    "answered: answered",
    "empty: empty",
    "failed: failed",
    "denied: not asked",
    "idle: not asked",
    "gone: not connected",
  ]);
  expect(coverage[0]?.calls).toEqual({ error: 1, ok: 1 });
  expect(coverage[5]?.reason).toBe("refused");
});

test("arguments of the report tool are read, with next steps optional", () => {
  const finding = { statement: "p95 rose", evidence: [{ call: 1, server: "prometheus" }] };

  expect(parseClaim({ summary: "s", verdict: "likely", findings: [finding] })).toEqual({
    claim: { summary: "s", verdict: "likely", findings: [finding], limits: [], nextSteps: [] },
  });
});

test("wrong arguments of the report tool are all named in one readable text", () => {
  const parsed = parseClaim({ summary: "", verdict: "certain", findings: [{ statement: "x" }], extra: 1 });

  expect(parsed).toHaveProperty("error");
  const { error } = parsed as { error: string };
  for (const place of ["summary", "verdict", "findings[0].evidence", "extra"]) expect(error).toContain(place);
});

test("the schema of the report tool is plain JSON Schema in which next steps are optional", () => {
  expect(reportSchema()).toMatchObject({ type: "object", required: ["summary", "verdict", "findings"] });
});
