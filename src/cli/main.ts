import { systemClock } from "../clock/clock.ts";
import { ProcessGroups } from "../mcp/processGroups.ts";
import { exitCode } from "./exitCode.ts";
import { runProgram } from "./program.ts";
import { renderFailure } from "./renderFailure.ts";
import { processTerminal } from "./terminal.ts";

/** Turns argv and signals into a call and an exit code. */
async function main(): Promise<number> {
  const groups = new ProcessGroups();
  process.on("exit", () => groups.killAll());
  const stop = new AbortController();
  const interrupt = () => {
    // The second one means now.
    if (stop.signal.aborted) process.exit(exitCode.interrupted);
    stop.abort(new Error("interrupted"));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
  // Whoever read the answer has seen enough: as if interrupted, without a word.
  process.stdout.on("error", () => stop.abort(new Error("the output was closed")));
  process.stderr.on("error", () => undefined);

  const terminal = processTerminal(process);
  const { signal } = stop;
  const args = process.argv.slice(2);
  const context = {
    terminal,
    cwd: process.cwd(),
    env: process.env,
    signal,
    groups,
    clock: systemClock,
    readInput: async () => await readText(process.stdin, signal),
  };
  try {
    return await runProgram(context, args);
  } catch (error) {
    if (signal.aborted) return exitCode.interrupted;
    const view = {
      colors: terminal.errColors,
      cwd: context.cwd,
      width: terminal.width,
      debug: args.join(" ").includes("--log-level debug"),
    };
    terminal.err(renderFailure(error, view));
    return exitCode.input;
  }
}

/** All of a stream. Rejects when the signal aborts, for a person may be typing it. Loaded only for those who ask. */
async function readText(stream: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  const [{ addAbortSignal }, { text }] = await Promise.all([import("node:stream"), import("node:stream/consumers")]);
  return await text(addAbortSignal(signal, stream));
}

/** Resolves when everything written is out, or can never be. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}

const code = await main();
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
// A socket that a library keeps open must not keep the command alive.
process.exit(code);
