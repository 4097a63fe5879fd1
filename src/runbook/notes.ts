import { listed } from "./findings.ts";
import type { Gathered, Outcome } from "./gather.ts";
import { clockTime } from "./quantity.ts";

/** What was not looked at or only in part, one sentence each: what failed, brought nothing, or covers another time. */
export function notesOf({ outcomes, newestOutside, traceSources }: Gathered): readonly string[] {
  const heard = outcomes.filter(({ want }) => !want.optional);
  return [
    ...grouped(heard, "refused", (titles, { text }) => `Not asked: ${titles}. ${firstLine(text)}`),
    ...grouped(
      heard,
      "failed",
      (titles, { want, text }) => `Failed on ${want.ask.server}: ${titles}: ${firstLine(text)}`,
    ),
    ...empty(heard),
    ...covered(outcomes),
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

function covered(outcomes: readonly Outcome[]): readonly string[] {
  const reasons = outcomes.flatMap(({ want: { ask } }) => {
    const { covering } = ask;
    if (covering.kind === "exact") return [];
    const part =
      covering.kind === "superset"
        ? `window partly covered: it was asked for ${clockTime(covering.from)} to ${clockTime(covering.to)} and trimmed`
        : `it shows ${clockTime(covering.at)}, not the window`;
    return [`${ask.server} ${ask.tool}: ${part} (${covering.reason}).`];
  });
  return [...new Set(reasons)];
}

function cut(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.flatMap(({ want: { ask }, items }) =>
    ask.limit !== undefined && items >= ask.limit
      ? [`${ask.server} ${ask.tool}: window partly covered: the answer holds ${items} items, the most that it gives.`]
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
