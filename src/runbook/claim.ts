import type { ClaimedFinding, ReportClaim } from "../report/report.ts";
import type { Analysis } from "./analysis.ts";
import { alertFindings, decoyFindings, eventFindings, logFindings, steadyFinding } from "./contextFindings.ts";
import { earlierNote } from "./earlier.ts";
import { changeOf, citations, type FindingSources, suspectFindings } from "./findings.ts";
import { notesOf } from "./notes.ts";
import type { Compared, Observation } from "./observation.ts";
import { clockTime } from "./quantity.ts";
import { departs } from "./rise.ts";
import type { Periods } from "./score.ts";
import type { ServiceOf } from "./serviceOf.ts";
import { summaryOf, verdictOf } from "./summary.ts";
import type { Suspect } from "./suspects.ts";

/** Suspects that are shown: those after them are weaker. */
const shownSuspects = 4;

export interface ClaimFacts {
  readonly compared: Compared;
  readonly analysis: Analysis;
  readonly serviceOf: ServiceOf;
  /** What did not run, one sentence each. */
  readonly notes: readonly string[];
}

/** What the runbook submits: the likeliest suspect first, then who passes it on, alerts, logs, and what is no cause. Pure. */
export function claimOf({ compared, analysis, serviceOf, notes }: ClaimFacts): ReportClaim {
  const { ranking, ownTimes } = analysis;
  const sources: FindingSources = { compared, ownTimes };
  const verdict = verdictOf(ranking);
  const shown = ranking.suspects.slice(0, shownSuspects);
  const unnamed = unnamedDepartures(compared);
  const earlier = shown.length === 0 ? earlierNote(compared) : undefined;
  const findings: ClaimedFinding[] = [
    ...shown.flatMap((suspect) => suspectFindings(suspect, sources)),
    ...unnamed.map((one) => ({ statement: changeOf(one, compared.periods), evidence: citations([one.source]) })),
    ...(shown.length + unnamed.length === 0 ? steadyFinding(compared) : []),
    ...alertFindings(compared, serviceOf),
    ...logFindings(compared),
    ...eventFindings(compared),
    ...decoyFindings(compared, shown[0]?.service, serviceOf),
  ];
  return {
    summary: summaryOf({
      ranking,
      unnamed,
      periods: compared.periods,
      asked: compared.outcomes.length,
      tracesRead: compared.traceSources.length > 0,
      seriesCompared: compared.observations.length,
      alerts: [...new Set(compared.alerts.map(({ name }) => name))],
    }),
    verdict,
    findings,
    limits: firstOf([...notes, ...notesOf(compared)]),
    nextSteps: [...(earlier === undefined ? [] : [earlier]), ...stepsFor(shown[0], compared.periods)],
  };
}

/** Departed series whose labels name no service, strongest first. */
function unnamedDepartures({ observations }: Compared): readonly Observation[] {
  return observations
    .filter(({ service, departure }) => service === undefined && departure.score >= departs)
    .sort((a, b) => b.departure.score - a.departure.score)
    .slice(0, shownUnnamed);
}

const shownUnnamed = 3;

/** A catalog of which nothing runs says the same hundreds of times. */
function firstOf(limits: readonly string[]): readonly string[] {
  const left = limits.length - shownLimits;
  return left <= 0 ? limits : [...limits.slice(0, shownLimits), `And ${left} more of that kind.`];
}

const shownLimits = 30;

function stepsFor(first: Suspect | undefined, periods: Periods): readonly string[] {
  if (first === undefined) return ["Widen the window, or add queries to the skills, if the symptom is real."];
  const { service, onset, own } = first;
  const around = onset === undefined ? "" : ` around ${clockTime(onset, periods)} UTC`;
  const where = own?.time.departed && own.time.busiest !== "" ? `, ${own.time.busiest} first` : "";
  return [`Look at what changed in ${service}${around}: deployments, configuration, its own dependencies${where}.`];
}
