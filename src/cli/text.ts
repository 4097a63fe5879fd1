import type { Json, JsonObject } from "../json/json.ts";

/** How many columns a terminal takes for a text: East Asian wide characters and emoji take two, marks and colours none. */
export function width(text: string): number {
  // Loading Unicode's tables takes longer than everything else that a short command does.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  const plain = text.replace(/\u001b\[\d+m/g, "");
  for (const { segment } of new Intl.Segmenter().segment(plain)) columns += isWide(segment) ? 2 : 1;
  return columns;
}

const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u;

function isWide(segment: string): boolean {
  return wide.test(segment);
}

/**
 * Text from outside on one line of a terminal: control characters, escape sequences and bidirectional overrides are
 * shown as what they are, so that a log line cannot write on the screen.
 */
export function visible(text: string): string {
  return text
    .replace(/\s+/g, (blank) => (/[\r\n]/.test(blank) ? " " : blank))
    .replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same over several lines. */
export function visibleLines(text: string): string {
  return text.replace(/\r\n?/g, "\n").split("\n").map(visible).join("\n");
}

const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Breaks text into lines of at most `columns`, between words where there are any; `indent` stands before every line but the first. */
export function wrap(text: string, columns: number, indent = ""): string {
  const room = Math.max(20, columns - indent.length);
  return text
    .split("\n")
    .flatMap((line) => wrapLine(line, room))
    .join(`\n${indent}`);
}

function wrapLine(line: string, room: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && width(current) + 1 + width(word) > room) {
      lines.push(current.trimEnd());
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current];
}

/** The beginning of a text that fits, with an ellipsis where something is left out. */
export function shortened(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (width(kept) + width(segment) > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** `0.2s`, `38s`, `4m10s`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, "0")}s`;
}

/** `1,204,000`: `toLocaleString` would load a locale for it. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Arguments of a call on one line, times and amounts last, for the line may be cut: `query=rate(x[5m])  limit=20`. */
export function argumentsText(args: JsonObject): string {
  const isAmount = (value: Json) => typeof value !== "object" && /^-?\d[\d:.TZ+-]*[a-z]{0,2}$/.test(String(value));
  return Object.entries(args)
    .toSorted(([, a], [, b]) => Number(isAmount(a)) - Number(isAmount(b)))
    .map(
      ([key, value]) =>
        `${key}=${typeof value === "string" ? value.trim().replace(/\s+/g, " ") : JSON.stringify(value)}`,
    )
    .join("  ");
}
