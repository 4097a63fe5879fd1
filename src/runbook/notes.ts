import { listed } from "./findings.ts";
import type { Outcome } from "./gather.ts";
import type { Compared } from "./observation.ts";
import { clockTime } from "./quantity.ts";
import type { Periods, Remark } from "./score.ts";

/** What was not looked at or only in part, one sentence each: what failed, brought nothing, or covers another time. */
export function notesOf(compared: Compared): readonly string[] {
  const { observations, outcomes, newestOutside, traceSources, dataFrom, periods } = compared;
  const heard = outcomes.filter(({ want }) => !want.optional);
  return [
    ...grouped(heard, "refused", (titles, { text }) => `Not asked: ${titles}. ${firstLine(text)}`),
    ...grouped(
      heard,
      "failed",
      (titles, { want, text }) => `Failed on ${want.ask.server}: ${titles}: ${firstLine(text)}`,
    ),
    ...grouped(heard, "unreadable", (titles, { want }) => `Not understood on ${want.ask.server}: ${titles}.`),
    ...empty(heard),
    ...(dataFrom === undefined
      ? []
      : [
          `No data before ${clockTime(dataFrom, periods)}: the time until ${clockTime(periods.from, periods)} was taken as the baseline.`,
        ]),
    ...remarked(observations),
    ...covered(outcomes, periods),
    ...cut(outcomes),
    ...(newestOutside !== undefined && outcomes.some(({ kind }) => kind === "outside")
      ? [`Some answers hold only other times, the newest ${new Date(newestOutside).toISOString()}: check the clocks.`]
      : []),
    ...(traceSources.length === 0
      ? ["No traces were read: metrics and logs see a symptom travel to its callers."]
      : []),
  ];
}

/** Of one kind, by server and reason: a server that is down says the same to every query. */
function grouped(
  outcomes: readonly Outcome[],
  kind: Outcome["kind"],
  sentence: (titles: string, first: Outcome) => string,
): readonly string[] {
  const groups = Map.groupBy(
    outcomes.filter((outcome) => outcome.kind === kind),
    ({ want, text }) => `${want.ask.server}\n${firstLine(text)}`,
  );
  return [...groups.values()].map((list) => sentence(titlesOf(list), list[0] as Outcome));
}

function empty(outcomes: readonly Outcome[]): readonly string[] {
  const byServer = Map.groupBy(
    outcomes.filter(({ kind }) => kind === "empty"),
    ({ want }) => want.ask.server,
  );
  return [...byServer].map(([server, list]) => `Empty on ${server}: ${titlesOf(list)}.`);
}

/** What makes series less than they could be, with how many of them. */
function remarked(observations: Compared["observations"]): readonly string[] {
  const found = flaws.flatMap(([flaw, said]) => {
    const count = observations.filter(({ departure }) => departure.remarks.includes(flaw)).length;
    return count === 0 ? [] : [`${count} ${said}`];
  });
  return found.length === 0 ? [] : [`Of ${observations.length} series: ${found.join(", ")}.`];
}

const flaws: readonly (readonly [Remark, string])[] = [
  ["born in the window", "born in the window"],
  ["ended in the window", "ended in the window"],
  ["gaps", "with gaps"],
  ["values that are no numbers", "with values that are no numbers"],
  ["counter was reset", "reset"],
];

function verb(list: readonly Outcome[], many: string, one: string): string {
  return new Set(list.map(({ want }) => want.ask.tool)).size === 1 ? one : many;
}

/** By server and reach: what only knows the present, or whole minutes, says so once for all its calls. */
function covered(outcomes: readonly Outcome[], periods: Periods): readonly string[] {
  const partial = outcomes.filter(
    ({ want, kind }) => want.ask.covering.kind !== "exact" && kind !== "refused" && kind !== "failed",
  );
  const groups = Map.groupBy(partial, ({ want: { ask } }) => `${ask.server}\n${JSON.stringify(ask.covering)}`);
  return [...groups.values()].map((list) => {
    const { server, covering } = (list[0] as Outcome).want.ask;
    const tools = listed([...new Set(list.map(({ want }) => want.ask.tool))]);
    if (covering.kind === "superset")
      return `Window partly covered: ${tools} of ${server} ${verb(list, "reach", "reaches")} from ${clockTime(covering.from, periods)} to ${clockTime(covering.to, periods)} (${covering.reason}).`;
    const at = covering.kind === "instant" ? clockTime(covering.at, periods) : "";
    return `Window partly covered: ${tools} of ${server} ${verb(list, "show", "shows")} what is now, ${at}.`;
  });
}

function cut(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.flatMap(({ want: { ask }, items }) =>
    ask.limit !== undefined && items >= ask.limit
      ? [`Window partly covered: ${ask.tool} of ${ask.server} gave ${items} items, the most that it gives.`]
      : [],
  );
}

function titlesOf(list: readonly Outcome[]): string {
  const titles = [...new Set(list.map(({ want }) => want.title))];
  return titles.length <= 4 ? listed(titles) : `${titles.slice(0, 3).join(", ")} and ${titles.length - 3} more`;
}

function firstLine(text: string): string {
  return (text.trim().split("\n", 1)[0] ?? "").slice(0, 200).toWellFormed();
}
