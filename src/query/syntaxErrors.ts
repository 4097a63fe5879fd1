/** A complaint about a query; `from` is an offset in its text. */
export interface Complaint {
  readonly from: number;
  readonly message: string;
}

/** Gives what a language has against a text, in order of place; nothing where it is right. Pure. */
export type Grammar = (text: string) => readonly Complaint[];

/** A node of a syntax tree, as far as it is read here. */
interface Node {
  readonly from: number;
  readonly to: number;
  readonly type: { readonly isError: boolean };
}

interface Tree {
  iterate(spec: { enter(node: Node): void }): void;
}

/** The first error in a tree, or nothing: what a parser says after it has lost its way is noise. */
export function syntaxErrors(tree: Tree, text: string): readonly Complaint[] {
  let first: Node | undefined;
  tree.iterate({
    enter: ({ from, to, type }) => {
      if (type.isError) first ??= { from, to, type };
    },
  });
  if (first === undefined) return [];
  const { from, to } = first;
  if (text.slice(from).trim() === "") return [{ from, message: "the query ends where more is expected" }];
  const found = Array.from(to > from ? text.slice(from, to) : text.slice(from)).slice(0, 30);
  return [{ from, message: `syntax error at ${JSON.stringify(found.join(""))}` }];
}
