import type { CallFact, CallOutcome } from "./callOutcome.ts";
import type { Citation, ClaimedFinding, Finding, ReportClaim, Verdict } from "./report.ts";

/** Why a call with this outcome proves nothing. */
const proofless: Readonly<Record<Exclude<CallOutcome, "ok">, string>> = {
  empty: "returned nothing",
  error: "failed",
  denied: "was denied",
  timeout: "timed out",
  unknown: "broke off without an answer",
};

/**
 * Holds a claim against the calls that were made. A finding is supported when it cites at least one call and each
 * exists, went to the named server, succeeded and brought data that could be read before the report was written. Without
 * a supported finding the verdict is `inconclusive`; with an unsupported one beside it, at most `likely`.
 */
export function checkCitations(
  claim: ReportClaim,
  calls: readonly CallFact[],
): { readonly findings: readonly Finding[]; readonly verdict: Verdict } {
  const byNumber = new Map(calls.map((call) => [call.number, call]));
  const findings = claim.findings.map((finding) => check(finding, byNumber));
  const supported = findings.filter(({ status }) => status === "supported").length;
  if (supported === 0) return { findings, verdict: "inconclusive" };
  const capped = supported < findings.length && claim.verdict === "confirmed";
  return { findings, verdict: capped ? "likely" : claim.verdict };
}

function check({ statement, evidence }: ClaimedFinding, calls: ReadonlyMap<number, CallFact>): Finding {
  const problems = evidence
    .map((citation) => problem(citation, calls.get(citation.call)))
    .filter((text) => text !== "");
  if (evidence.length === 0) problems.push("cites no tool call");
  return { statement, evidence, status: problems.length === 0 ? "supported" : "unsupported", problems };
}

function problem({ call: number, server }: Citation, call: CallFact | undefined): string {
  if (!call) return `call ${number} was never made`;
  if (call.server === undefined) return `call ${number} asked no server`;
  if (call.server !== server) return `call ${number} went to ${call.server}, not to ${server}`;
  if (call.unread) return `call ${number} was made along with the report, before its result could be read`;
  return call.outcome === "ok" ? "" : `call ${number} ${proofless[call.outcome]}`;
}
