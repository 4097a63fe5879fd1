import type { QueryLanguage } from "./block.ts";

/** A complaint about a query; offsets in its text. */
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

/** Loads the grammar of a language, and nothing before it is asked for. */
export async function loadGrammar(language: QueryLanguage): Promise<Grammar> {
  if (language === "promql") return promql();
  const { parser } =
    language === "logql" ? await import("@grafana/lezer-logql") : await import("@grafana/lezer-traceql");
  return (text) => syntaxErrors(parser.parse(text), text);
}

/** The syntax, then types and numbers of arguments, which make no sense before that is right. */
async function promql(): Promise<Grammar> {
  const [{ parser }, { Parser }] = await Promise.all([
    import("@prometheus-io/lezer-promql"),
    // Neither the package's entry, which draws in an editor, nor its ES modules, which only bundlers can load.
    import("@prometheus-io/codemirror-promql/dist/cjs/parser/parser.js"),
  ]);
  return (text) => {
    const tree = parser.parse(text);
    const errors = syntaxErrors(tree, text);
    if (errors.length > 0) return errors;
    // All that the checker reads of an editor's state. A whole one would parse again, as far as 20 ms reach.
    const state = { field: () => ({ tree }), sliceDoc: (from: number, to: number) => text.slice(from, to) };
    const checker = new Parser(state as unknown as ConstructorParameters<typeof Parser>[0]);
    checker.analyze();
    return checker.getDiagnostics();
  };
}

/** The first error only: what a parser says after it has lost its way is noise. */
function syntaxErrors(tree: Tree, text: string): readonly Complaint[] {
  let first: Node | undefined;
  tree.iterate({
    enter: ({ from, to, type }) => {
      if (type.isError) first ??= { from, to, type };
    },
  });
  if (first === undefined) return [];
  const { from, to } = first;
  if (text.slice(from).trim() === "") return [{ from, message: "the query ends where more is expected" }];
  const found = Array.from(to > from ? text.slice(from, to) : text.slice(from))
    .slice(0, 30)
    .join("");
  return [{ from, message: `syntax error at ${JSON.stringify(found)}` }];
}
