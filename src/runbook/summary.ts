import type { Verdict } from "../report/report.ts";
import { listed } from "./findings.ts";
import { clockTime, quantity } from "./quantity.ts";
import type { Periods } from "./score.ts";
import type { Ranking, Suspect } from "./suspects.ts";

/** The answer in a sentence or two, and how sure it is: never more than `likely`. */
export function verdictOf({ suspects, tied }: Ranking): Verdict {
  const [first] = suspects;
  if (first === undefined || tied > 1) return "inconclusive";
  const clear = first.basis === "own work" || first.weight >= clearWeight;
  return clear ? "likely" : "inconclusive";
}

/** Reached by a resource or symptom that departs by about thirty deviations, or by several that depart less. */
const clearWeight = 0.3;

export interface SummaryFacts {
  readonly ranking: Ranking;
  readonly periods: Periods;
  readonly tracesRead: boolean;
  readonly seriesCompared: number;
  readonly anyData: boolean;
}

export function summaryOf({ ranking, periods, tracesRead, seriesCompared, anyData }: SummaryFacts): string {
  const { suspects, tied } = ranking;
  const span = `${clockTime(periods.from)} and ${clockTime(periods.to)} UTC`;
  const [first] = suspects;
  if (first === undefined) {
    return anyData
      ? `Nothing departed from its baseline between ${span}: ${seriesCompared} series were compared with ${clockTime(periods.baselineFrom)} to ${clockTime(periods.from)}.`
      : `No data of the time between ${span} was found, so nothing can be said about it.`;
  }
  if (tied > 1) {
    const names = listed(suspects.slice(0, tied).map(({ service }) => service));
    const why = tracesRead
      ? "their own work changed alike"
      : "metrics alone do not tell who passes it on from whom, and no traces were read";
    return `${names} ${tied === 2 ? "both" : "all"} changed${since(first)}, and cannot be told apart: ${why}. In the order of likelihood ${first.service} comes first.`;
  }
  const passing = suspects.filter(({ passesOn }) => passesOn === first.service).map(({ service }) => service);
  const rest =
    passing.length === 0 ? "" : `; ${listed(passing)} only ${passing.length === 1 ? "passes" : "pass"} it on`;
  return `${first.service} ${happened(first)}${since(first)}${rest}.${unexplained(first, tracesRead)}`;
}

function since({ onset }: Suspect): string {
  return onset === undefined ? "" : ` at ${clockTime(onset)} UTC`;
}

function happened({ own, departed, basis }: Suspect): string {
  const lead = departed.find(({ signal }) => signal.kind !== "traffic");
  const resource = departed.find(({ signal }) => signal.kind === "saturation" || signal.kind === "memory");
  if (basis === "own work" && own) {
    const because = own.errors.departed && own.errors.message !== "" ? ` (${own.errors.message})` : "";
    const along = because === "" && resource ? ` as its ${resource.signal.title} rose` : because;
    return `${own.errors.departed ? "began to fail" : "slowed down"}${along}`;
  }
  const shown = basis === "resource" ? (resource ?? lead) : lead;
  if (!shown) return "changed";
  const { before, after, direction } = shown.departure;
  const values = `from ${before === undefined ? "nothing" : quantity(before, shown.signal.unit)} to ${quantity(after, shown.signal.unit)}`;
  return `changed: ${shown.signal.title} ${direction === "up" ? "rose" : "fell"} ${values}`;
}

function unexplained({ basis, own }: Suspect, tracesRead: boolean): string {
  if (basis !== "symptom") return "";
  if (own) return " Traces show no growth of its own work, nor of what it calls.";
  return tracesRead ? "" : " No traces were read, so it may pass on what another service does.";
}
