import { readFileSync } from "node:fs";

/** Children of this very process whose command line holds `text`. Linux only. */
export function childProcesses(text: string): readonly number[] {
  const all = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ").map(Number);
  return all.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").includes(text);
    } catch {
      return false; // It is gone.
    }
  });
}
