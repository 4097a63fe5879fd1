import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { distinctNames, type Filled, type Hole, type HoleValues, holesIn, valueOf } from "./holes.ts";
import { type Spot, spotsIn, writtenAt } from "./quoting.ts";

/**
 * A query with every hole filled. A value is escaped for its place: in a string literal it means itself, in a pattern
 * (after `=~`, `!~`, `|~`) too. Outside of strings only names, numbers and durations are taken. Holes in comments stay.
 */
export function fillHoles(text: string, values: HoleValues): Filled<string> {
  const spotAt = spotsIn(text);
  return fill(text, queryHoles(text), values, (hole, value) => writtenAt(spotAt(hole.from), value));
}

/** The holes of a query, those in comments left out. */
export function queryHoles(text: string): readonly Hole[] {
  const spotAt = spotsIn(text);
  const isHole = (spot: Spot) => spot.kind !== "comment";
  return holesIn(text).filter(({ from }) => isHole(spotAt(from)));
}

/**
 * Arguments of a tool with the holes in their texts filled, keys left alone. A text that is one hole and nothing else
 * becomes the value itself, so a number stays a number. In a longer text a value must be free of quotes, backslashes
 * and control characters, since nobody knows what language the text is in.
 */
export function fillArguments(args: JsonObject, values: HoleValues): Filled<JsonObject> {
  const missing = argumentHoles(args).filter((name) => valueOf(values, name) === undefined);
  if (missing.length > 0) return { kind: "missing", holes: missing };
  try {
    return { kind: "filled", value: filledJson(args, values) as JsonObject };
  } catch (error) {
    if (error instanceof Refusal) return { kind: "refused", hole: error.hole, reason: error.message };
    throw error;
  }
}

/** Names of the holes in all texts of `value`, in order of appearance, each once. */
export function argumentHoles(value: Json): readonly string[] {
  if (typeof value === "string") return distinctNames(holesIn(value));
  const inner: readonly Json[] = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return [...new Set(inner.flatMap(argumentHoles))];
}

class Refusal extends Error {
  readonly hole: string;
  constructor(hole: string, reason: string) {
    super(reason);
    this.hole = hole;
  }
}

function filledJson(value: Json, values: HoleValues): Json {
  if (Array.isArray(value)) return value.map((item) => filledJson(item, values));
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledJson(item, values)]));
  if (typeof value !== "string") return value;
  const holes = holesIn(value);
  const only = holes.length === 1 && holes[0]?.to === value.length && holes[0].from === 0 ? holes[0].name : undefined;
  if (only !== undefined) return valueOf(values, only) as string | number;
  const filled = fill(value, holes, values, (_, text) => (/["'`\\\p{Cc}]/u.test(text) ? undefined : text));
  if (filled.kind === "filled") return filled.value;
  throw filled.kind === "refused" ? new Refusal(filled.hole, filled.reason) : new Error("a hole lost its value");
}

function fill(
  text: string,
  holes: readonly Hole[],
  values: HoleValues,
  write: (hole: Hole, value: string) => string | undefined,
): Filled<string> {
  const missing = distinctNames(holes).filter((name) => valueOf(values, name) === undefined);
  if (missing.length > 0) return { kind: "missing", holes: missing };
  const parts: string[] = [];
  let end = 0;
  for (const hole of holes) {
    const value = hole.name === undefined ? "$" : String(valueOf(values, hole.name));
    const written = hole.name === undefined ? value : write(hole, value);
    if (written === undefined)
      return { kind: "refused", hole: hole.name as string, reason: `${JSON.stringify(value)} cannot stand there` };
    parts.push(text.slice(end, hole.from), written);
    end = hole.to;
  }
  return { kind: "filled", value: parts.join("") + text.slice(end) };
}
