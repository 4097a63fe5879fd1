/** Where in a query an offset lies. */
export type Spot =
  | { readonly kind: "bare" }
  | { readonly kind: "comment" }
  /** In a string literal; `isPattern` when a regular expression is expected there, after `=~`, `!~` or `|~`. */
  | { readonly kind: "string"; readonly quote: '"' | "'" | "`"; readonly isPattern: boolean };

/** Strings with their escapes, raw strings, and comments, of PromQL, LogQL and TraceQL alike. */
const token = /#[^\n]*|\/\/[^\n]*|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$)|`[^`]*(?:`|$)/gs;

/** Tells for any offset of `text` whether it is in a string or a comment. An unterminated string reaches to the end. */
export function spotsIn(text: string): (offset: number) => Spot {
  const tokens = [...text.matchAll(token)].map(({ 0: all, index }) => ({ from: index, to: index + all.length }));
  return (offset) => {
    const found = tokens.find(({ from, to }) => offset > from && offset < to);
    if (!found) return { kind: "bare" };
    const first = text[found.from];
    if (first !== '"' && first !== "'" && first !== "`") return { kind: "comment" };
    return { kind: "string", quote: first, isPattern: /[=!|]~\s*$/.test(text.slice(0, found.from)) };
  };
}

/** `value` as it has to be written at `spot` to mean just itself; undefined where no way of writing does. */
export function writtenAt(spot: Spot, value: string): string | undefined {
  if (spot.kind === "comment") return undefined;
  if (spot.kind === "bare") return /^[\w.:-]+$/.test(value) ? value : undefined;
  const meant = spot.isPattern ? value.replaceAll(/[\\.+*?()|[\]{}^$]/g, "\\$&") : value;
  if (spot.quote === "`") return meant.includes("`") ? undefined : meant;
  return meant.replaceAll(
    /[\\"'\n\r\t]/g,
    (character) => escapes[character] ?? (character === spot.quote ? `\\${character}` : character),
  );
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
