import type { RunState } from "../agent/runState.ts";
import type { Report } from "../report/report.ts";
import { type ExitCode, exitCode } from "./exitCode.ts";

/** The exit code of a run that has ended. */
export function investigationCode({ report, ended, turns }: RunState): ExitCode {
  if (ended?.reason === "cancelled") return exitCode.interrupted;
  if (report && nobodyAnswered(report)) return exitCode.noAnswer;
  // A model that never said a word is a matter of key, name or address.
  const spoke = turns.some((turn) => turn.kind === "step" && turn.answer !== undefined);
  return ended?.reason === "model-failed" && !spoke ? exitCode.input : exitCode.done;
}

/** No server is connected, or some were asked and none of them answered. */
function nobodyAnswered({ coverage: { servers } }: Report): boolean {
  if (servers.every(({ state }) => state === "not connected")) return true;
  return (
    servers.some(({ state }) => state === "failed") &&
    !servers.some(({ state }) => state === "answered" || state === "empty")
  );
}
