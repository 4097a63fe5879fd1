import { ArgumentError } from "./argumentError.ts";

const longest = 200;

/**
 * Tells whether a path matches: `*` stands for any characters but "/", `**` for any, `?` for one. Matched without going
 * back more than to the last star, so that no pattern is slow.
 */
export function globPattern(pattern: string): (path: string) => boolean {
  if (pattern.length > longest) throw new ArgumentError(`a pattern has at most ${longest} characters`);
  const tokens = pattern.match(/\*\*\/?|\*|\?|[^*?]/gsu) ?? [];
  return (path) => matches(tokens, Array.from(path));
}

/** By rows, as in edit distance: time is length times length, whatever the pattern. */
function matches(tokens: readonly string[], characters: readonly string[]): boolean {
  let reached = Array.from({ length: characters.length + 1 }, () => false);
  reached[0] = true;
  for (const token of tokens) {
    const next = Array.from({ length: characters.length + 1 }, () => false);
    for (let at = 0; at <= characters.length; at++) {
      const before = at > 0 ? characters[at - 1] : undefined;
      if (token === "**") next[at] = reached[at] === true || (at > 0 && next[at - 1] === true);
      // Nothing, or whole directories.
      else if (token === "**/")
        next[at] = reached[at] === true || (before === "/" && reached.slice(0, at).includes(true));
      else if (token === "*") next[at] = reached[at] === true || (before !== "/" && at > 0 && next[at - 1] === true);
      else if (token === "?") next[at] = at > 0 && before !== "/" && reached[at - 1] === true;
      else next[at] = at > 0 && before === token && reached[at - 1] === true;
    }
    reached = next;
  }
  return reached[characters.length] === true;
}
