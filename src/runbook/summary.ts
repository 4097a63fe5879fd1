import type { Verdict } from "../report/report.ts";
import { listed } from "./findings.ts";
import type { Observation } from "./observation.ts";
import { clockTime, quantity } from "./quantity.ts";
import type { Periods } from "./score.ts";
import type { SignalKind } from "./signal.ts";
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
  /** Departed series whose labels name no service, strongest first. */
  readonly unnamed: readonly Observation[];
  readonly periods: Periods;
  /** Calls that were made. */
  readonly asked: number;
  readonly tracesRead: boolean;
  readonly seriesCompared: number;
  /** Alerts that fire, by name. */
  readonly alerts: readonly string[];
}

export function summaryOf({
  ranking,
  unnamed,
  periods,
  asked,
  tracesRead,
  seriesCompared,
  alerts,
}: SummaryFacts): string {
  const { suspects, tied } = ranking;
  const span = `${clockTime(periods.from, periods)} and ${clockTime(periods.to, periods)} UTC`;
  const [first] = suspects;
  if (first === undefined) {
    const firing =
      alerts.length === 0 ? "" : ` ${listed(alerts)} ${alerts.length === 1 ? "fires" : "fire"} all the same.`;
    const [strongest] = unnamed;
    if (strongest)
      return `${capital(riseOf(strongest))}${since(strongest.departure, periods)}; no label names the service.${firing}`;
    if (asked === 0) return `Nothing was asked, so nothing can be said about the time between ${span}.`;
    if (seriesCompared === 0 && !tracesRead)
      return `No data of the time between ${span} was found that could be compared with the time before.${firing}`;
    const compared = [
      ...(seriesCompared > 0 ? [`${seriesCompared} series`] : []),
      ...(tracesRead ? ["samples of traces"] : []),
    ].join(" and ");
    return `Nothing departed from its baseline between ${span}: ${compared} were compared with ${clockTime(periods.baselineFrom, periods)} to ${clockTime(periods.from, periods)}.${firing}`;
  }
  if (tied > 1) {
    const names = listed(suspects.slice(0, tied).map(({ service }) => service));
    return `${names} ${tied === 2 ? "both" : "all"} changed${since(first, periods)}, and cannot be told apart: ${whyTied(first, tracesRead)}. In the order of likelihood ${first.service} comes first.`;
  }
  const passing = suspects.filter(({ passesOn }) => passesOn === first.service).map(({ service }) => service);
  const rest =
    passing.length === 0 ? "" : `; ${listed(passing)} only ${passing.length === 1 ? "passes" : "pass"} it on`;
  return `${first.service}${happened(first)}${since(first, periods)}${rest}.${ownNumbers(first)}${unexplained(first, tracesRead)}`;
}

function whyTied({ basis, own }: Suspect, tracesRead: boolean): string {
  if (basis === "own work") return "their own work changed alike";
  if (basis === "resource") return "the same changed in each of them, as it does when they share what is at fault";
  if (tracesRead && own) return "traces show no change of their own work";
  return "metrics alone do not tell who passes it on from whom, and no traces were read";
}

function since({ onset }: { readonly onset?: number }, periods: Periods): string {
  return onset === undefined ? "" : ` at ${clockTime(onset, periods)} UTC`;
}

function happened({ own, departed, basis }: Suspect): string {
  if (basis === "own work" && own)
    return own.errors.departed ? " began to fail" : own.time.departed ? " slowed down" : " keeps its callers waiting";
  const shown =
    (basis === "resource" ? departed.find(({ signal }) => resources.has(signal.kind)) : undefined) ??
    departed.find(({ signal }) => signal.kind !== "traffic") ??
    departed[0];
  if (!shown) return " suffers";
  return `: ${riseOf(shown)}`;
}

function riseOf({ signal, departure: { before, after, direction } }: Observation): string {
  const from = before === undefined ? "nothing" : quantity(before, signal.unit);
  return `${signal.title} ${direction === "up" ? "rose" : "fell"} from ${from} to ${quantity(after, signal.unit)}`;
}

/** The numbers behind the first sentence. */
function ownNumbers({ own }: Suspect): string {
  if (!own) return "";
  const { errors, time, waited } = own;
  const words = errors.message === "" ? "" : ` (${errors.message})`;
  const change = ({ before, after }: typeof waited, unit: "ratio" | "milliseconds") =>
    `${quantity(before, unit)} → ${quantity(after, unit)}`;
  const said = [
    ...(errors.departed ? [`requests that fail in it: ${change(errors, "ratio")}${words}`] : []),
    ...(time.departed ? [`own time per request: ${change(time, "milliseconds")}`] : []),
    ...(waited.departed ? [`calls wait before they are served: ${change(waited, "milliseconds")}`] : []),
  ].join("; ");
  return said === "" ? "" : ` ${capital(said)}.`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const resources: ReadonlySet<SignalKind> = new Set(["saturation", "memory", "restarts"]);

function unexplained({ basis, own }: Suspect, tracesRead: boolean): string {
  if (basis !== "symptom") return "";
  if (own) return " Traces show no growth of its own work, nor of what it calls.";
  return tracesRead ? "" : " No traces were read, so it may pass on what another service does.";
}
