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

/** Shorter values occur by chance in any text; replacing them would ruin it. The configuration warns about them. */
export const shortestSecret = 4;

/**
 * Replaces each secret wherever it stands in a string or an object key: as it is, escaped as in JSON, percent-encoded,
 * or in base64. Longer values win over shorter ones inside them.
 */
export function redactor(secrets: readonly Secret[]): Redact {
  const names = new Map<string, string>();
  for (const { name, value } of secrets) {
    if (value.length < shortestSecret) continue;
    for (const form of forms(value)) if (!names.has(form)) names.set(form, name);
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
