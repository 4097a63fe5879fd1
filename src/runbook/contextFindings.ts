import type { ClaimedFinding } from "../report/report.ts";
import { changeOf, citations, listed } from "./findings.ts";
import type { Compared, Observation } from "./observation.ts";
import { clockTime } from "./quantity.ts";
import { departs } from "./rise.ts";
import type { ServiceOf } from "./serviceOf.ts";
import { kindIn } from "./signal.ts";

const shownDecoys = 3;
const shownAlerts = 6;
const shownEvents = 5;
const shownLoggers = 5;

/** Alerts that fire, by name, with whom they name and since when. */
export function alertFindings({ alerts, periods }: Compared, serviceOf: ServiceOf): readonly ClaimedFinding[] {
  const byName = Map.groupBy(alerts, ({ name }) => name);
  return [...byName].slice(0, shownAlerts).map(([name, list]) => {
    const who = [...new Set(list.map(({ labels }) => serviceOf(labels) ?? "no service"))].sort();
    const since = list.flatMap((alert) => alert.since ?? []).sort((a, b) => a - b)[0];
    const hidden = list.every(({ suppressed }) => suppressed) ? ", silenced or inhibited" : "";
    return {
      statement: `alert ${name} fires for ${listed(who)}${since === undefined ? "" : ` since ${clockTime(since, periods)}`}${hidden}`,
      evidence: citations(list.map(({ source }) => source)),
    };
  });
}

/** Failures in logs that the window has and the baseline has not, the commonest of each service. */
export function logFindings({ logs, periods }: Compared): readonly ClaimedFinding[] {
  const failures = logs.filter(({ failed, service }) => failed && service !== undefined);
  const byService = Map.groupBy(failures, ({ service }) => service as string);
  return [...byService]
    .sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
    .slice(0, shownLoggers)
    .flatMap(([service, lines]) => {
      const fresh = lines.filter(({ t }) => t >= periods.from);
      if (fresh.length < 3 || lines.length - fresh.length > fresh.length / 2) return [];
      const byText = Map.groupBy(fresh, ({ text }) => shape(text));
      const [, most] = [...byText].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))[0] as [
        string,
        typeof fresh,
      ];
      const example = most[0] as (typeof fresh)[number];
      return [
        {
          statement: `${service} logs ${fresh.length} errors among the lines read, the first at ${clockTime((fresh[0] as typeof example).t, periods)}, mostly: ${example.text.slice(0, 160)}`,
          evidence: citations(fresh.map(({ source }) => source)),
        },
      ];
    });
}

/** Lines that differ by numbers and ids alone are one. */
function shape(text: string): string {
  return text.replace(/[0-9a-f]{8,}|\d+/gi, "#").slice(0, 120);
}

/**
 * What looks like a cause and is none: it was as strong before the window, or an alert names it and its series did not
 * depart.
 */
export function decoyFindings(
  compared: Compared,
  culprit: string | undefined,
  serviceOf: ServiceOf,
): readonly ClaimedFinding[] {
  const { observations, alerts, periods } = compared;
  const excused = observations.filter(({ departure }) => departure.remarks.some((remark) => excuses.has(remark)));
  const alerted = alerts.flatMap(({ name, labels }) => {
    const kind = kindIn(name);
    const service = serviceOf(labels);
    const same = observations.filter((one) => one.service === service && one.signal.kind === kind);
    return service !== undefined && same.every(({ departure }) => departure.score < departs) ? same.slice(0, 1) : [];
  });
  return [...new Set([...alerted, ...excused])]
    .filter(({ service, signal }) => service !== culprit && signal.kind !== "traffic")
    .slice(0, shownDecoys)
    .map((observation) => ({
      statement: `not the cause: ${observation.service ?? "no service named"}: ${changeOf(observation, periods)}${excuseOf(observation)}`,
      evidence: citations([observation.source]),
    }));
}

const excuses: ReadonlySet<string> = new Set(["grew as fast before", "as unsteady before"]);

function excuseOf({ departure: { remarks } }: Observation): string {
  return remarks.some((remark) => excuses.has(remark)) ? "" : ", an alert all the same: it keeps to what it was";
}

/** That nothing departed, with how much was looked at. */
export function steadyFinding({ observations, traceSources }: Compared): readonly ClaimedFinding[] {
  const sources = [...observations.map(({ source }) => source), ...traceSources];
  if (sources.length === 0) return [];
  const services = new Set(observations.flatMap(({ service }) => service ?? []));
  const parts = [
    ...(observations.length > 0 ? [`${observations.length} series of ${services.size} services`] : []),
    ...(traceSources.length > 0 ? ["own time and own errors in traces"] : []),
  ];
  return [
    { statement: `${parts.join(", and ")}, keep to what they were before the window`, evidence: citations(sources) },
  ];
}

/** Warnings of Kubernetes from the window, by reason and object, with the first of each. */
export function eventFindings({ events, periods }: Compared): readonly ClaimedFinding[] {
  const fresh = events.filter(({ t }) => t >= periods.from).sort((a, b) => a.t - b.t);
  const groups = Map.groupBy(fresh, ({ reason, about }) => `${reason} of ${about}`);
  return [...groups].slice(0, shownEvents).map(([what, list]) => {
    const [{ t, message }] = list as [(typeof list)[number]];
    return {
      statement: `Kubernetes warns of ${what} at ${clockTime(t, periods)}: ${message.slice(0, 160)}`,
      evidence: citations(list.map(({ source }) => source)),
    };
  });
}
