declare const redacted: unique symbol;

/** A value that has been through a `Redact` function. Only `redactor` makes one, so a path around it does not compile. */
export type Redacted<T> = T & { readonly [redacted]: true };

/** A value that must not leave the process, with the name that stands in its place. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** Takes a JSON value or text, returns an equal one in which every secret is replaced by `[redacted:NAME]`. */
export type Redact = <T>(value: T) => Redacted<T>;

const shortestSecret = 4;

/** What every tool listing and result is made of (MCP, JSON Schema), and the levels of logs, which variables often hold. */
const ordinaryWords: ReadonlySet<string> = new Set(
  `annotations array audio blob boolean content data default description enum false image inputSchema integer isError
  items mimeType name null number object outputSchema properties required resource resource_link string
  structuredContent text title true type uri debug error info trace warn warning`.split(/\s+/),
);

/** Why a value is not replaced though it came from a variable: replacing it would ruin any text. Undefined where it is. */
export function notRedacted(value: string): string | undefined {
  if (value.trim().length < shortestSecret) return `is shorter than ${shortestSecret} characters`;
  return ordinaryWords.has(value.trim()) ? "is an ordinary word" : undefined;
}

/**
 * Replaces each secret wherever it stands in a string or an object key: as it is, without white space around it, escaped
 * as in JSON, percent-encoded, or in base64. Longer values win over shorter ones inside them. Values that `notRedacted`
 * names are left alone; the configuration warns about them.
 */
export function redactor(secrets: readonly Secret[]): Redact {
  const names = new Map<string, string>();
  for (const { name, value } of secrets) {
    if (notRedacted(value) !== undefined) continue;
    for (const form of [...forms(value), ...forms(value.trim())]) if (!names.has(form)) names.set(form, name);
  }
  if (names.size === 0) return <T>(value: T) => value as Redacted<T>;

  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((form) => RegExp.escape(form)).join("|"), "g");
  const text = (value: string) => value.replace(pattern, (form) => `[redacted:${names.get(form)}]`);
  return <T>(value: T) => deep(value, text) as Redacted<T>;
}

function forms(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString("base64");
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), base64, base64.replace(/=+$/, "")];
}

function deep(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => deep(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), deep(item, text)]));
}
