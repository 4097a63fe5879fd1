import type { QueryLanguage } from "./block.ts";
import { loadGrammar } from "./grammars.ts";
import type { QueryProblem } from "./queryProblem.ts";
import { type Sample, samplesOf } from "./sample.ts";
import type { Grammar } from "./syntaxErrors.ts";

/**
 * What the language's own grammar, and for PromQL its check of types and numbers of arguments, has against a query as a
 * skill writes it: holes are taken as something of the right shape. Empty when it is right. Loads the grammar when it is
 * first asked for; never asks a backend, so unknown names pass.
 */
export async function checkQuery(language: QueryLanguage, text: string): Promise<readonly QueryProblem[]> {
  const severity = language === "traceql" ? "warning" : "error";
  if (withoutComments(text).trim() === "") return [{ severity, line: 1, column: 1, message: "the query is empty" }];
  const grammar = await loadGrammar(language);
  const found = firstGood(grammar, samplesOf(text));
  return found.map(({ at, message }) => ({ severity, ...placeOf(text, at), message }));
}

interface Found {
  readonly at: number;
  readonly message: string;
}

/** Nothing as soon as one reading of the holes is right, else what is wrong with the first. */
function firstGood(grammar: Grammar, samples: readonly Sample[]): readonly Found[] {
  let first: readonly Found[] | undefined;
  for (const { text, originalOf } of samples) {
    const found = grammar(text).map(({ from, message }) => ({ at: originalOf(from), message }));
    if (found.length === 0) return [];
    first ??= found;
  }
  return first ?? [];
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(?:#|\/\/).*$/gm, "");
}

/** Columns count characters, which UTF-16 counts twice beyond U+FFFF. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: Array.from(lines.at(-1) as string).length + 1 };
}
