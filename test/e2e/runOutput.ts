import { join } from "node:path";
import type { RunSummary } from "../../src/agent/runSummary.ts";
import type { Report } from "../../src/report/report.ts";
import { eventually } from "../kit/eventually.ts";
import type { Ended } from "../kit/korvus.ts";

/** What `korvus investigate --json` prints. */
export interface RunOutput {
  readonly report: Report;
  readonly run: RunSummary;
}

/** The report and the run of an investigation; throws with what was said where there is none. */
export function runOutput({ stdout, stderr, code }: Ended): RunOutput {
  try {
    return JSON.parse(stdout) as RunOutput;
  } catch (error) {
    throw new Error(`no report, exit code ${code}:\n${stdout.slice(0, 2000)}\n${stderr}`, { cause: error });
  }
}

/** A skill file. */
export function skill(name: string, server?: string, body = `Ask ${server}.`): string {
  const binding = server === undefined ? "" : `mcp_server: ${server}\n`;
  return `---\nname: ${name}\ndescription: How to ${name}.\n${binding}---\n${body}\n`;
}

/** The probe server as a configuration has it; the tests' own, real MCP over stdio. */
export function probe(more: object = {}): object {
  return { command: process.execPath, args: [join(import.meta.dirname, "../kit/probeServer.ts")], ...more };
}

/** A server that misbehaves as `mode` says; see `oddServer.ts`. */
export function odd(mode: string, more: object = {}): object {
  return { command: process.execPath, args: [join(import.meta.dirname, "../mcp/oddServer.ts"), mode], ...more };
}

/** `eventually`, on a machine that other tests keep busy. */
export function patiently<T>(what: string, probe: () => T | Promise<T>): Promise<NonNullable<T>> {
  return eventually(what, probe, 60_000);
}
