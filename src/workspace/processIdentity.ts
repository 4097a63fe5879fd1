import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What tells a process from a later one with the same pid; undefined when there is no such process. */
export function processIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in brackets, may hold anything. Field 22 is the start in ticks since boot.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : `${bootId()} ${fields[19]}`;
  } catch {
    return process.platform === "linux" ? undefined : startedAt(pid);
  }
}

function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
}

function startedAt(pid: number): string | undefined {
  try {
    const args = ["-o", "lstart=", "-p", String(pid)];
    return execFileSync("ps", args, { encoding: "latin1", stdio: ["ignore", "pipe", "ignore"] }).trim() || undefined;
  } catch {
    return undefined; // ps exits with 1 for a pid that nobody has.
  }
}
