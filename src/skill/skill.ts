import { isUtf8 } from "node:buffer";
import { FAILSAFE_SCHEMA, load, type State, Type, types, YAMLException } from "js-yaml";

/** The header of a skill file. */
export interface Frontmatter {
  /** Never blank; not necessarily unique in a catalog. */
  readonly name: string;
  /** "" where the file has none. */
  readonly description: string;
  readonly tags: readonly string[];
  /** MCP server that the skill is about. A skill that names one is excluded unless that server is connected; absent: always included. */
  readonly mcpServer?: string;
}

/** Know-how for one backend: a header and the Markdown that goes into the system prompt as it was written. Frozen. */
export interface Skill extends Frontmatter {
  /** Trimmed of surrounding white space, otherwise byte for byte the file's. */
  readonly body: string;
}

export type SkillErrorCode =
  | "no-frontmatter"
  | "unterminated"
  | "invalid-yaml"
  | "missing-name"
  | "invalid-encoding"
  | "unreadable";

/** A place in a file; both count from 1, columns in characters. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A skill file that an operator has to fix. Match on `code`; `message` is for people, one line. */
export class SkillError extends Error {
  override readonly name = "SkillError";
  readonly code: SkillErrorCode;
  readonly line: number;
  readonly column: number;

  constructor(code: SkillErrorCode, message: string, options: ErrorOptions & Partial<Place> = {}) {
    super(message, options);
    this.code = code;
    this.line = options.line ?? 1;
    this.column = options.column ?? 1;
  }
}

/**
 * Scalars keep their source text, as in a decoder into strings: `1.10`, `on` and `!!int 0x1F` stay what they look like.
 * A tag of YAML's own that the text does not fit is an error; a tag of the author's own says nothing about the text.
 */
const schema = FAILSAFE_SCHEMA.extend({
  implicit: [types.null, types.merge],
  explicit: [
    ...[types.int, types.float, types.bool, types.timestamp].map(
      ({ tag, resolve }) => new Type(tag, { kind: "scalar", resolve }),
    ),
    ...(["scalar", "sequence", "mapping"] as const).map((kind) => new Type("!", { kind, multi: true })),
  ],
});

const control = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
/** Aliases can make a small header mean gigabytes. */
const longestTags = 1_000_000;
const lineEnd = /\r\n|\r|\n/;

/**
 * One skill file: YAML between `---` lines, then Markdown. The same input gives the same result, and results share
 * nothing. Throws `SkillError` and nothing else.
 */
export function parse(raw: Uint8Array | string): Skill {
  const text = decode(raw);
  const open = text.search(/[^ \t\r\n]|$/);
  if (!text.startsWith("---", open)) {
    const found = JSON.stringify(text.slice(open, open + 200).split(lineEnd, 1)[0]);
    throw new SkillError("no-frontmatter", `expected "---" before anything else, found ${found}`, placeOf(text, open));
  }
  const start = open + 3;
  const end = text.indexOf("\n---", start);
  if (end < 0) throw new SkillError("unterminated", 'no closing "---" line after the frontmatter', placeOf(text, open));

  const root = readYaml(text, start, end);
  const value = (key: string): unknown => (Object.hasOwn(root, key) ? root[key] : null);
  const place = (key: string) => {
    const found = new RegExp(`^[ \\t{?"']*(?=${key}\\b)`, "m").exec(text.slice(start, end));
    return placeOf(text, start + (found ? found.index + found[0].length : 0));
  };
  const wrong = (key: string, expected: string, came: string) =>
    new SkillError("invalid-yaml", `"${key}" must be ${expected}, not ${came}`, place(key));
  const textOf = (key: string, value: unknown): string => {
    if (value === null) return "";
    if (typeof value !== "string") throw wrong(key, key === "tags" ? "a list of texts" : "a text", kindOf(value));
    if (!value.isWellFormed()) throw wrong(key, "Unicode", "half of a surrogate pair");
    return value;
  };

  const tags = value("tags") ?? [];
  if (!Array.isArray(tags)) throw wrong("tags", "a list of texts", kindOf(tags));
  const mcpServer = textOf("mcp_server", value("mcp_server"));
  const skill: Skill = {
    name: textOf("name", value("name")),
    description: textOf("description", value("description")),
    tags: Object.freeze(tags.filter((tag) => tag !== null).map((tag) => textOf("tags", tag))),
    ...(mcpServer !== "" && { mcpServer }),
    body: trim(text.slice(end + "\n---".length)),
  };
  if (trim(skill.name) === "") {
    const came = Object.hasOwn(root, "name") ? "it is blank" : "the header has none";
    throw new SkillError("missing-name", `missing required field "name": ${came}`, place("name"));
  }
  if (skill.tags.reduce((sum, tag) => sum + tag.length, 0) > longestTags)
    throw wrong("tags", `at most ${longestTags} characters`, "more");
  return Object.freeze(skill);
}

/** The header's mapping; empty where the header is. */
function readYaml(text: string, start: number, end: number): Readonly<Record<string, unknown>> {
  const header = text.slice(start, end);
  const invalid = (message: string, place: Place, cause?: unknown) =>
    new SkillError("invalid-yaml", message, { ...place, cause });
  const stray = header.search(control);
  if (stray >= 0) throw invalid("control characters are not allowed", placeOf(text, start + stray));
  if (/^[ \r\n]*\t/.test(header)) throw invalid("a tab cannot indent the first field", placeOf(text, start));
  try {
    const root = load(header.replaceAll("\r\n", "\n"), { schema, maxDepth: 1_000, listener: asTyped(header) }) ?? {};
    if (Object.hasOwn(root, "[object Object]")) throw invalid("a key must be a text, not a map", placeOf(text, start));
    if (typeof root === "object" && !Array.isArray(root)) return root as Record<string, unknown>;
    throw invalid(`the header must be a map of fields, not ${kindOf(root)}`, placeOf(text, start));
  } catch (cause) {
    if (cause instanceof SkillError) throw cause;
    // Deep nesting within `maxDepth` can still meet the end of the caller's stack.
    if (!(cause instanceof YAMLException)) throw invalid("nesting is too deep", placeOf(text, start), cause);
    const { line = 0, column = 0 } = cause.mark ?? {};
    const origin = placeOf(text, start);
    const source = header.split(lineEnd)[line] ?? "";
    const at = {
      line: origin.line + line,
      column: (line === 0 ? origin.column : 1) + lengthOf(source.slice(0, column)),
    };
    throw invalid(reasonOf(cause.reason, source.slice(column)), at, cause);
  }
}

/**
 * What a typed decoder does otherwise. A list or map as a key is refused, where the loader makes some text of it, so
 * that `? [name]` would set the name. Anchors are words. A block scalar that the header's end cuts off has no last line
 * break, where the loader adds one.
 */
function asTyped(header: string) {
  const isCut = !/[\r\n]$/.test(header);
  return (event: "open" | "close", state: State): void => {
    const { kind, result, anchor, input, position, line, lineStart } = state;
    if (event === "open") return;
    const refuse = (reason: string) => new YAMLException(reason, { line, column: position - lineStart });
    if (anchor !== null && !/^[\w-]+$/.test(anchor)) throw refuse("the name of an anchor is letters, digits, - and _");
    if (typeof result === "string") {
      const isEnd = isCut && kind === "scalar" && input.charCodeAt(position) === 0;
      if (isEnd && result.endsWith("\n")) state.result = result.slice(0, -1);
    } else if (result !== null && /^\s{0,9}:\s/.test(input.slice(position, position + 11))) {
      throw refuse(`a key must be a text, not ${kindOf(result)}`);
    }
  };
}

function reasonOf(reason: string, rest: string): string {
  if (reason !== "bad indentation of a mapping entry") return reason;
  if (/^:(\s|$)/.test(rest)) return 'a value with ": " needs quotes';
  return /^[@`%]/.test(rest) ? `a value that starts with "${rest[0]}" needs quotes` : reason;
}

function decode(raw: Uint8Array | string): string {
  const isText = typeof raw === "string";
  const text = isText ? raw.toWellFormed() : Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString();
  if (isText ? raw.isWellFormed() : isUtf8(raw)) return text.startsWith("\ufeff") ? text.slice(1) : text;
  throw new SkillError("invalid-encoding", "the file is not UTF-8", placeOf(text, text.indexOf("\ufffd")));
}

function placeOf(text: string, index: number): Place {
  const lines = text.slice(0, index).split(lineEnd);
  return { line: lines.length, column: lengthOf(lines.at(-1) as string) + 1 };
}

/** In characters, which UTF-16 counts twice beyond U+FFFF. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return value === "" ? "an empty text" : "a text";
  return Array.isArray(value) ? "a list" : "a map";
}

/** Unicode's White_Space at both ends: unlike `String.trim`, takes U+0085 and leaves U+FEFF. Linear on any input. */
function trim(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && /\p{White_Space}/u.test(text[from] as string)) from += 1;
  while (to > from && /\p{White_Space}/u.test(text[to - 1] as string)) to -= 1;
  return text.slice(from, to);
}
