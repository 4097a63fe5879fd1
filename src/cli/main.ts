import { systemClock } from "../clock/clock.ts";
import { ProcessGroups } from "../mcp/processGroups.ts";
import type { CommandContext } from "./commandContext.ts";
import { exitCode, UsageError } from "./exitCode.ts";
import { leave } from "./leave.ts";
import { runProgram } from "./program.ts";
import { renderFailure } from "./renderFailure.ts";
import { processTerminal } from "./terminal.ts";
import { watchOutput } from "./watchOutput.ts";

/** Turns argv and signals into a call and an exit code. */
async function main(): Promise<number> {
  const groups = new ProcessGroups();
  process.on("exit", () => groups.killAll());
  const stop = new AbortController();
  const interrupt = () => {
    // The second one means now.
    if (stop.signal.aborted) {
      groups.killAll();
      leave(exitCode.interrupted);
    }
    stop.abort(new Error("interrupted"));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
  const output = watchOutput(process, () => stop.abort(new Error("the output was closed")));

  const terminal = processTerminal(process);
  const code = await run(process.argv.slice(2), { terminal, groups, signal: stop.signal });
  const lost = await output.flushed();
  if (!lost) return code;
  terminal.err(`${terminal.errColors.red("error")}  the output cannot be written: ${lost.message}\n`);
  return exitCode.input;
}

async function run(
  args: readonly string[],
  { terminal, groups, signal }: Pick<CommandContext, "terminal" | "groups" | "signal">,
): Promise<number> {
  let cwd = "/";
  try {
    cwd = currentDirectory();
    const readInput = async () => await readText(process.stdin, signal);
    const context = { terminal, cwd, env: process.env, signal, groups, clock: systemClock, readInput };
    return await runProgram(context, args);
  } catch (error) {
    if (isInterruption(error, signal)) {
      terminal.err("  interrupted before there was anything to report\n");
      return exitCode.interrupted;
    }
    const debug = args.some(
      (arg, index) => `${args[index - 1]} ${arg}` === "--log-level debug" || arg === "--log-level=debug",
    );
    terminal.err(renderFailure(error, { colors: terminal.errColors, cwd, width: terminal.width, debug }));
    return signal.aborted ? exitCode.interrupted : exitCode.input;
  }
}

/** What else goes wrong while a command is interrupted is told: a recording that is not whole, for one. */
function isInterruption(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.name === "AbortError"));
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UsageError("the working directory is gone: change to one that exists", { cause });
  }
}

/** All of a stream. Rejects when the signal aborts, for a person may be typing it. Loaded only for those who ask. */
async function readText(stream: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  const [{ addAbortSignal }, { text }] = await Promise.all([import("node:stream"), import("node:stream/consumers")]);
  return await text(addAbortSignal(signal, stream));
}

const code = await main();
// A socket that a library keeps open must not keep the command alive.
leave(code);
