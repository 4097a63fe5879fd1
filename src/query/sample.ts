import { queryHoles } from "./fillHoles.ts";
import { distinctNames } from "./holes.ts";
import { spotsIn } from "./quoting.ts";
import { isTimeHole } from "./timeHoles.ts";

/** A query that a grammar can read, and the way back from its offsets to those of the query as written. */
export interface Sample {
  readonly text: string;
  readonly originalOf: (offset: number) => number;
}

/** What can stand outside of strings: a name, a number, a duration. */
const shapes = ["x", "1", "5m"] as const;
type Shape = (typeof shapes)[number];
/** Above this many samples only the first is tried for further holes. */
const mostHoles = 4;

/**
 * The query with something of the right shape in each hole. Nobody knows whether `$n` outside of a string is a name, a
 * number or a duration, so there is a sample for each reading, those in which all holes are names first.
 */
export function samplesOf(text: string): readonly Sample[] {
  const spotAt = spotsIn(text);
  const open = queryHoles(text).filter(
    ({ name, from }) => name !== undefined && !isTimeHole(name) && spotAt(from).kind === "bare",
  );
  let readings: readonly Readonly<Record<string, Shape>>[] = [{}];
  for (const name of distinctNames(open).slice(0, mostHoles))
    readings = readings.flatMap((reading) => shapes.map((shape) => ({ ...reading, [name]: shape })));
  return readings.map((reading) => sampleOf(text, reading));
}

function sampleOf(text: string, reading: Readonly<Record<string, Shape>>): Sample {
  const pieces: { readonly at: number; readonly original: number; readonly isHole: boolean }[] = [];
  let sample = "";
  let end = 0;
  for (const { name, from, to } of queryHoles(text)) {
    pieces.push({ at: sample.length, original: end, isHole: false });
    sample += text.slice(end, from);
    pieces.push({ at: sample.length, original: from, isHole: true });
    sample += name === undefined ? "$" : (timeShape(name) ?? reading[name] ?? "x");
    end = to;
  }
  pieces.push({ at: sample.length, original: end, isHole: false });
  return {
    text: sample + text.slice(end),
    originalOf(offset) {
      const piece = pieces.findLast(({ at }) => at <= offset) ?? { at: 0, original: 0, isHole: false };
      return piece.isHole ? piece.original : piece.original + offset - piece.at;
    },
  };
}

/** What a time hole becomes where it stands outside of strings; undefined for other holes. */
function timeShape(name: string): string | undefined {
  if (!isTimeHole(name)) return undefined;
  return /_(?:unix|minutes|s)$/.test(name) ? "1" : "5m";
}
