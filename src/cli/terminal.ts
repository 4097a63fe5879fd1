import pc from "picocolors";

/** Where a command writes, and what that place can show. */
export interface Terminal {
  /** The answer: a report, a table, JSON. */
  readonly out: (text: string) => void;
  /** Everything that is not the answer: progress, warnings, errors. */
  readonly err: (text: string) => void;
  /** Columns of the answer's place; 80 where it is no terminal. */
  readonly width: number;
  /** Progress may redraw its line. */
  readonly live: boolean;
  readonly outColors: Colors;
  readonly errColors: Colors;
}

export type Colors = ReturnType<typeof pc.createColors>;

/** The process's own streams. `NO_COLOR` and `FORCE_COLOR` are honoured; a pipe gets no colour. */
export function processTerminal({ stdout, stderr, env }: NodeJS.Process): Terminal {
  const forced = env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0";
  const colored = (stream: NodeJS.WriteStream) =>
    !env["NO_COLOR"] && (forced || (stream.isTTY && env["TERM"] !== "dumb"));
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    width: Math.max(40, stdout.columns ?? 80),
    live: stderr.isTTY && env["TERM"] !== "dumb",
    outColors: pc.createColors(colored(stdout)),
    errColors: pc.createColors(colored(stderr)),
  };
}

/** Columns for sentences of progress and checks: what goes to a file or a pipe is not broken into lines. */
export function room({ live, width }: Terminal): number {
  return live ? width : Number.POSITIVE_INFINITY;
}
