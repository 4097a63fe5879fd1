/**
 * A hole is `$name` or `${name}`; a name is a letter or `_`, then letters, digits and `_`. `$$` is one `$`: so `$$name`
 * is the text `$name`. A `$` before anything else stays what it is, as in `"^5..$"` and in `"$1"` of label_replace.
 */
const pattern = /\$\$|\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;

/** Values by the name of their hole, without the `$`. Numbers are written in decimal. */
export type HoleValues = Readonly<Record<string, string | number>>;

/** A place in a text that a value goes to; `name` is absent for `$$`. */
export interface Hole {
  readonly name?: string;
  readonly from: number;
  readonly to: number;
}

/** All holes of a text and its `$$`, in order. Knows no comments and no quotes. */
export function holesIn(text: string): readonly Hole[] {
  return [...text.matchAll(pattern)].map(({ 0: all, 1: bare, 2: braced, index }) => {
    const name = bare ?? braced;
    return { ...(name !== undefined && { name }), from: index, to: index + all.length };
  });
}

/** What came of filling holes. */
export type Filled<T> =
  | { readonly kind: "filled"; readonly value: T }
  /** Holes without a value, in order of appearance, each once. */
  | { readonly kind: "missing"; readonly holes: readonly string[] }
  /** A value that cannot stand where its hole is: it would become part of the query instead of a value in it. */
  | { readonly kind: "refused"; readonly hole: string; readonly reason: string };

/** The own member `name`; undefined for what only the prototype has. */
export function valueOf(values: HoleValues, name: string): string | number | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Each name once, in order. */
export function distinctNames(holes: readonly Hole[]): readonly string[] {
  return [...new Set(holes.flatMap(({ name }) => (name === undefined ? [] : [name])))];
}
