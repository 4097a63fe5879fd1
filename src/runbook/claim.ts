import type { ClaimedFinding, ReportClaim } from "../report/report.ts";
import type { Analysis } from "./analysis.ts";
import {
  alertFindings,
  decoyFindings,
  type FindingSources,
  logFindings,
  steadyFinding,
  suspectFindings,
} from "./findings.ts";
import type { Gathered } from "./gather.ts";
import { notesOf } from "./notes.ts";
import { clockTime } from "./quantity.ts";
import type { Periods } from "./score.ts";
import { summaryOf, verdictOf } from "./summary.ts";
import type { Suspect } from "./suspects.ts";

/** Suspects that are shown: those after them are weaker. */
const shownSuspects = 4;

export interface ClaimFacts {
  readonly gathered: Gathered;
  readonly analysis: Analysis;
  readonly periods: Periods;
  readonly serviceOf: (labels: Readonly<Record<string, string>>) => string | undefined;
  /** What did not run, one sentence each. */
  readonly notes: readonly string[];
}

/** What the runbook submits: the likeliest suspect first, then who passes it on, alerts, logs, and what is no cause. Pure. */
export function claimOf({ gathered, analysis, periods, serviceOf, notes }: ClaimFacts): ReportClaim {
  const { ranking, ownTimes } = analysis;
  const sources: FindingSources = { gathered, periods, ownTimes };
  const verdict = verdictOf(ranking);
  const shown = ranking.suspects.slice(0, shownSuspects);
  const findings: ClaimedFinding[] = [
    ...shown.flatMap((suspect) => suspectFindings(suspect, sources)),
    ...(shown.length === 0 ? steadyFinding(gathered) : []),
    ...alertFindings(gathered, serviceOf),
    ...logFindings(gathered, periods),
    ...decoyFindings(gathered, periods, shown[0]?.service),
  ];
  return {
    summary: summaryOf({
      ranking,
      periods,
      tracesRead: gathered.traceSources.length > 0,
      seriesCompared: gathered.observations.length,
      alerts: [...new Set(gathered.alerts.map(({ name }) => name))],
    }),
    verdict,
    findings,
    nextSteps: [...stepsFor(shown[0]), ...notes, ...notesOf(gathered)],
  };
}

function stepsFor(first: Suspect | undefined): readonly string[] {
  if (first === undefined) return ["Widen the window, or add queries to the skills, if the symptom is real."];
  const { service, onset, own } = first;
  const around = onset === undefined ? "" : ` around ${clockTime(onset)} UTC`;
  const where = own?.time.departed && own.time.busiest !== "" ? `, ${own.time.busiest} first` : "";
  return [`Look at what changed in ${service}${around}: deployments, configuration, its own dependencies${where}.`];
}
