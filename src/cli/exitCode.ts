/** What the exit codes of the command mean. */
export const exitCode = {
  /** A report came, also an inconclusive one; or the command did what it was asked. */
  done: 0,
  /** Configuration or input is wrong, no server is configured, or the model never answered. */
  input: 1,
  /** Servers are configured and none answered. */
  noAnswer: 2,
  /** What was to be verified is not what it was. */
  differs: 3,
  /** Interrupted, with the report so far. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Wrong input that a command itself finds. The message says what to do; it is all that is shown. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
}
