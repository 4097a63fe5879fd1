import type { ClaimedFinding } from "../report/report.ts";
import type { Compared, Observation, Source } from "./observation.ts";
import type { OwnChange } from "./ownChange.ts";
import { clockTime, quantity } from "./quantity.ts";
import type { Periods } from "./score.ts";
import { sparkline } from "./sparkline.ts";
import { isGrown, type Suspect } from "./suspects.ts";

/** Departed series that are shown of one suspect; the rest says the same again. */
const shownSeries = 4;

export interface FindingSources {
  readonly compared: Compared;
  /** Own time by trace, to be drawn. */
  readonly ownTimes: ReadonlyMap<string, readonly { readonly t: number; readonly v: number }[]>;
}

/** What speaks against a suspect, or why it only passes on: the own work first, then series by strength. */
export function suspectFindings(suspect: Suspect, sources: FindingSources): readonly ClaimedFinding[] {
  const { service, own, departed } = suspect;
  // The strongest of each kind: a second series of latency says the same again.
  const byKind = Map.groupBy(departed, ({ signal }) => signal.kind);
  const shown = [...byKind]
    .filter(([kind]) => kind !== "traffic")
    .flatMap(([, list]) => list.slice(0, 1))
    .slice(0, shownSeries);
  const ofOwn = own && isGrown(own) ? [ownFinding(own, suspect, sources)] : [];
  const passes =
    shown.length === 0 && own && suspect.passesOn !== undefined ? [passingFinding(own, suspect.passesOn, sources)] : [];
  return [
    ...ofOwn,
    ...passes,
    ...shown.map((one, index) => seriesFinding(service, one, { suspect, sources, first: index === 0 })),
  ];
}

function ownFinding(own: OwnChange, { onset }: Suspect, { compared, ownTimes }: FindingSources): ClaimedFinding {
  const { service, time, errors, waited, traces } = own;
  const at = onset === undefined ? "" : ` at ${clockTime(onset, compared.periods)}`;
  const parts: string[] = [];
  if (errors.departed) {
    const words = errors.message === "" ? "" : ` (${errors.message})`;
    parts.push(
      `own failures ${quantity(errors.before, "ratio")} → ${quantity(errors.after, "ratio")} of traces${at}${words}`,
    );
  }
  if (time.departed) {
    // Samples lie apart: between them there is no gap in the service.
    const line = sparkline(ownTimes.get(service) ?? [], {
      from: compared.periods.baselineFrom,
      to: compared.periods.to,
    }).replaceAll(" ", "");
    const of = time.of === "median" ? "" : ` (${time.of})`;
    const where = time.busiest === "" ? "" : `, mostly in ${time.busiest}`;
    parts.push(
      `own time per request ${quantity(time.before, "milliseconds")} → ${quantity(time.after, "milliseconds")}${of}${errors.departed ? "" : at}${where}  ${line}`,
    );
  }
  if (waited.departed) {
    const change = `${quantity(waited.before, "milliseconds")} → ${quantity(waited.after, "milliseconds")}`;
    parts.push(`calls wait ${change} before it serves them (the network, or it is too busy)`);
  }
  return {
    statement: `${service}: ${parts.join("; ")} (${traces.before} traces before, ${traces.after} after)`,
    evidence: citations(compared.traceSources),
  };
}

/** Of a caller that only traces speak of. */
function passingFinding(
  { service, elapsed, failed, time }: OwnChange,
  culprit: string,
  { compared }: FindingSources,
): ClaimedFinding {
  const change = ({ before, after }: Pick<typeof elapsed, "before" | "after">, unit: "ratio" | "milliseconds") =>
    `${quantity(before, unit)} → ${quantity(after, unit)}`;
  const parts = [
    ...(failed.departed ? [`fails in ${change(failed, "ratio")} of traces`] : []),
    ...(elapsed.departed ? [`takes ${change(elapsed, "milliseconds")} per request`] : []),
  ];
  return {
    statement: `${service}: ${parts.join("; ")}; ${innocence({ time, failed }, culprit)}`,
    evidence: citations(compared.traceSources),
  };
}

function innocence({ time, failed }: Pick<OwnChange, "time" | "failed">, culprit: string): string {
  const stayed = `its own time stayed (${quantity(time.before, "milliseconds")} → ${quantity(time.after, "milliseconds")})`;
  const failures = failed.departed ? " and its failures began elsewhere" : "";
  return `${stayed}${failures}: it only passes on what ${culprit} does`;
}

function seriesFinding(
  service: string,
  observation: Observation,
  { suspect, sources, first }: { suspect: Suspect; sources: FindingSources; first: boolean },
): ClaimedFinding {
  const { passesOn, own } = suspect;
  const unchanged = passesOn !== undefined && own !== undefined && first ? `; ${innocence(own, passesOn)}` : "";
  const proof = unchanged === "" ? [] : sources.compared.traceSources;
  return {
    statement: `${service}: ${changeOf(observation, sources.compared.periods)}${unchanged}`,
    evidence: citations([observation.source, ...proof]),
  };
}

/** `p95 latency 46 ms → 655 ms at 14:02:12  ▁▁▇▇`, with what has to be known to read it. */
export function changeOf({ signal, departure, series }: Observation, periods: Periods): string {
  const { before, after, onset, remarks } = departure;
  const from = before === undefined ? "nothing" : quantity(before, signal.unit);
  const at = onset === undefined ? "" : ` at ${clockTime(onset, periods)}`;
  const line = sparkline(series.points, { from: periods.baselineFrom, to: periods.to });
  const said = remarks.length === 0 ? "" : ` (${remarks.join(", ")})`;
  return `${signal.title} ${from} → ${quantity(after, signal.unit)}${at}  ${line}${said}`;
}

export function citations(sources: readonly Source[]): ClaimedFinding["evidence"] {
  const byCall = new Map(sources.map(({ call, server }) => [call, { call, server }]));
  return [...byCall.values()].sort((a, b) => a.call - b.call);
}

const mostListed = 8;

/** `a`, `a and b`, `a, b and c`; of many, the first few and how many more. */
export function listed(words: readonly string[]): string {
  if (words.length > mostListed)
    return `${words.slice(0, mostListed - 1).join(", ")} and ${words.length - mostListed + 1} more`;
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}
