import type { CallSummary, RunSummary } from "../agent/runSummary.ts";
import type { Report } from "../report/report.ts";
import { argumentsText, shortened, visible } from "./text.ts";

/** `[3]`, and from three in a row on `[3-7]`. */
export function citationMarks(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const runs: [from: number, to: number][] = [];
  for (const number of sorted) {
    const last = runs.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs
    .map(([from, to]) => {
      if (from === to) return `[${from}]`;
      return to === from + 1 ? `[${from}] [${to}]` : `[${from}-${to}]`;
    })
    .join(" ");
}

/** More calls in a row than this that differ only in times and other numbers are shown by their first. */
const shownAlone = 2;

/** The cited calls, so that a reader can repeat each. `room` is the width of a line. */
export function evidenceLines({ findings }: Report, { calls }: RunSummary, room: number): readonly string[] {
  const cited = new Set(findings.flatMap(({ evidence }) => evidence.map(({ call }) => call)));
  const groups: CallSummary[][] = [];
  for (const call of calls.filter(({ call }) => cited.has(call))) {
    const last = groups.at(-1);
    if (last?.[0] && alike(last[0], call)) last.push(call);
    else groups.push([call]);
  }
  return groups.flatMap((group) => {
    const [first, ...more] = group;
    if (!first) return [];
    if (group.length <= shownAlone) return group.map((call) => line([call.call], call, room));
    return [`${line([first.call, ...more.map(({ call }) => call)], first, room)} and ${more.length} alike`];
  });
}

function alike(a: CallSummary, b: CallSummary): boolean {
  return shape(a) === shape(b);
}

function shape({ server, tool, arguments: args, outcome }: CallSummary): string {
  return JSON.stringify([server, tool, args, outcome]).replace(/\d[\d:.TZ-]*/g, "0");
}

function line(
  numbers: readonly number[],
  { server = "-", tool, arguments: args, outcome }: CallSummary,
  room: number,
): string {
  const failed = outcome === "ok" ? "" : ` (${outcome})`;
  const text = `${citationMarks(numbers)} ${server} ${tool}  ${argumentsText(args)}${failed}`;
  return shortened(visible(text), room * 3);
}
