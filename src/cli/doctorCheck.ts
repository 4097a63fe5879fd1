import type { ExitCode } from "./exitCode.ts";

/** One thing that `korvus doctor` looked at. */
export interface Check {
  readonly about: string;
  readonly state: "good" | "warning" | "bad";
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** What a failure means for the exit code; a server that is down is no fault of the input. */
  readonly code?: ExitCode;
  /** False for what is bad and stops no investigation. */
  readonly stops?: boolean;
}
