/** What a language's grammar, or its type check, has against a query. Places count from 1, in the query as written. */
export interface QueryProblem {
  /** TraceQL's grammar refuses some valid queries: there it is never more than a warning. */
  readonly severity: "error" | "warning";
  readonly line: number;
  readonly column: number;
  readonly message: string;
}
