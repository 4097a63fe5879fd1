import type { BlockHints, Expect, Unit } from "./block.ts";

/** What the options of a fence say, and what is wrong with them; `at` is an offset in the options. */
export interface Info {
  readonly title?: string;
  readonly hints: BlockHints;
  readonly problems: readonly { readonly at: number; readonly message: string }[];
}

const units: readonly string[] = [
  "seconds",
  "milliseconds",
  "ratio",
  "bytes",
  "per_second",
  "count",
  "cores",
] satisfies Unit[];
const expectations: readonly string[] = ["high", "low", "any"] satisfies Expect[];
const option = /([^\s=]+)(?:=("(?:[^"\\]|\\.)*"?|\S*))?/g;

/** Reads `title="p95 by service" unit="seconds" expect="high" optional`; quotes are needed around blanks only. */
export function readInfo(options: string): Info {
  const problems: { at: number; message: string }[] = [];
  const found: { title?: string; unit?: Unit; expect?: Expect; optional: boolean } = { optional: false };
  for (const { 1: name = "", 2: raw, index: at } of options.matchAll(option)) {
    const value = raw === undefined ? undefined : unquoted(raw);
    const wrong = (message: string) => problems.push({ at, message });
    if (name === "optional" && value === undefined) found.optional = true;
    else if (name === "title" && value) found.title = value;
    else if (name === "unit" && value !== undefined && units.includes(value)) found.unit = value as Unit;
    else if (name === "unit") wrong(`unit is one of ${units.join(", ")}, not ${shown(value)}`);
    else if (name === "expect" && value !== undefined && expectations.includes(value)) found.expect = value as Expect;
    else if (name === "expect") wrong(`expect is one of ${expectations.join(", ")}, not ${shown(value)}`);
    else if (name === "optional") wrong("optional takes no value");
    else if (name === "title") wrong("title wants a text");
    else wrong(`unknown option ${JSON.stringify(name)}: title, unit, expect and optional are known`);
  }
  const { title, ...hints } = found;
  return { ...(title !== undefined && { title }), hints, problems };
}

function unquoted(raw: string): string {
  return raw.startsWith('"') ? raw.replace(/^"|"$/g, "").replaceAll(/\\(.)/g, "$1") : raw;
}

function shown(value: string | undefined): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
