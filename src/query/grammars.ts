import type { QueryLanguage } from "./block.ts";
import { type Grammar, syntaxErrors } from "./syntaxErrors.ts";

/** Loads the grammar of a language, and nothing before it is asked for. */
export async function loadGrammar(language: QueryLanguage): Promise<Grammar> {
  if (language === "promql") return (await import("./promqlGrammar.ts")).promqlGrammar;
  const { parser } =
    language === "logql" ? await import("@grafana/lezer-logql") : await import("@grafana/lezer-traceql");
  return (text) => syntaxErrors(parser.parse(text), text);
}
