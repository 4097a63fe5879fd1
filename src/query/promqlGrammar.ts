// Neither the package's entry, which draws in an editor, nor its ES modules, which only bundlers can load.
import { Parser as Checker } from "@prometheus-io/codemirror-promql/dist/cjs/parser/parser.js";
import { parser } from "@prometheus-io/lezer-promql";
import { type Complaint, syntaxErrors } from "./syntaxErrors.ts";

/** PromQL's syntax, then types and numbers of arguments, which make no sense before that is right. Costly to import. */
export function promqlGrammar(text: string): readonly Complaint[] {
  const tree = parser.parse(text);
  const errors = syntaxErrors(tree, text);
  if (errors.length > 0) return errors;
  // All that the checker reads of an editor's state. A whole one would parse again, as far as 20 ms reach.
  const state = { field: () => ({ tree }), sliceDoc: (from: number, to: number) => text.slice(from, to) };
  const checker = new Checker(state as unknown as ConstructorParameters<typeof Checker>[0]);
  checker.analyze();
  return checker.getDiagnostics();
}
