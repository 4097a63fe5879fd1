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
  const refused = textsIn(args)
    .map((text) => fillText(text, values))
    .find(({ kind }) => kind === "refused");
  return refused?.kind === "refused" ? refused : { kind: "filled", value: withValues(args, values) as JsonObject };
}

/** Names of the holes in all texts of `value`, in order of appearance, each once. */
export function argumentHoles(value: Json): readonly string[] {
  return distinctNames(textsIn(value).flatMap(holesIn));
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function withValues(value: Json, values: HoleValues): Json {
  if (Array.isArray(value)) return value.map((item) => withValues(item, values));
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withValues(item, values)]));
  const filled = typeof value === "string" ? fillText(value, values) : undefined;
  return filled?.kind === "filled" ? filled.value : value;
}

function fillText(text: string, values: HoleValues): Filled<Json> {
  const holes = holesIn(text);
  const [first] = holes;
  const only = first?.from === 0 && first.to === text.length ? first.name : undefined;
  const value = only === undefined ? undefined : valueOf(values, only);
  if (value !== undefined) return { kind: "filled", value };
  return fill(text, holes, values, (_, written) => (/["'`\\\p{Cc}]/u.test(written) ? undefined : written));
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
