import { checkCitations } from "../report/checkCitations.ts";
import { serverCoverage } from "../report/coverage.ts";
import type { BudgetHit, Report, ReportClaim } from "../report/report.ts";
import { parseClaim } from "../report/reportClaim.ts";
import type { Catalog } from "../skill/catalog.ts";
import type { RunStarted } from "./events.ts";
import { acceptedReport, callFacts, type RunState, stepsOf } from "./runState.ts";
import { skillsUsed } from "./skillsUsed.ts";

/** The report of a run: the model's claim as far as it holds, and what only the runtime can say. Pure. */
export function makeReport(state: RunState, started: RunStarted, catalog: Pick<Catalog, "skills">): Report {
  const claim = acceptedClaim(state) ?? claimFromText(state);
  const calls = callFacts(state);
  const { findings, verdict } = checkCitations(claim, calls);
  const cited = new Set(
    findings
      .filter(({ status }) => status === "supported")
      .flatMap(({ evidence }) => evidence.map(({ server }) => server)),
  );
  const pinned = state.created?.inputs;
  const used = skillsUsed(catalog, invokedCalls(state));
  const citedSkills = new Set(
    catalog.skills.filter(({ mcpServer }) => mcpServer !== undefined && cited.has(mcpServer)).map(({ name }) => name),
  );
  return {
    v: 1,
    question: started.question,
    verdict,
    claimedVerdict: claim.verdict,
    summary: claim.summary,
    findings,
    limits: claim.limits,
    nextSteps: claim.nextSteps,
    skillsUsed: used,
    skillsCited: used.filter((name) => citedSkills.has(name)),
    catalog: { digest: started.catalog.digest, skills: started.catalog.skills },
    ...(pinned?.workspace ? { workspace: pinned.workspace } : {}),
    coverage: {
      ...(pinned?.noSkills ? { noSkills: pinned.noSkills } : {}),
      ...(pinned && pinned.leftOut.length > 0 ? { leftOut: pinned.leftOut } : {}),
      servers: serverCoverage(started.servers, calls),
      skillsDropped: started.catalog.dropped,
      budgets: budgetsHit(state),
      notices: state.notices
        .filter(({ kind }) => kind !== "budget" && kind !== "resumed")
        .map(({ message }) => message),
    },
  };
}

/** Once each, as it was at the end: first it is said that a budget nears its end, then that it is used up. */
function budgetsHit({ notices }: RunState): readonly BudgetHit[] {
  const hits = notices.flatMap(({ budget, message }) => (budget ? [[budget, { budget, message }] as const] : []));
  return [...new Map(hits).values()];
}

function invokedCalls(state: RunState) {
  return state.calls.flatMap(({ target, finished }) =>
    target.kind === "server" && finished ? [{ server: target.server, reached: finished.reached }] : [],
  );
}

function acceptedClaim(state: RunState): ReportClaim | undefined {
  const call = acceptedReport(state);
  const parsed = call && parseClaim(call.arguments);
  return parsed && "claim" in parsed ? parsed.claim : undefined;
}

/** Without an accepted report, what the model wrote last is the summary, and nothing is claimed. */
function claimFromText(state: RunState): ReportClaim {
  const texts = stepsOf(state).map(({ answer }) =>
    (answer?.parts ?? [])
      .filter((part) => part.type === "text")
      .map(({ text }) => text)
      .join("")
      .trim(),
  );
  const summary = texts.findLast((text) => text !== "") ?? "The investigation ended before the model wrote anything.";
  return { summary, verdict: "inconclusive", findings: [], limits: [], nextSteps: [] };
}
