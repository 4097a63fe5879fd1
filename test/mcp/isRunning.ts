import { readFileSync } from "node:fs";

/** False once a process is gone; a dead one that nobody has reaped yet counts as gone. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // ESRCH
  }
  try {
    // "pid (name) state ...", and the name may hold anything.
    return !/^.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return process.platform !== "linux";
  }
}
