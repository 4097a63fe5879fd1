import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";

export interface StartOptions {
  readonly cwd?: string;
  /** The whole environment of the child. Default: PATH and a C.UTF-8 locale, nothing else. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default `false`: the child reads from nothing. */
  readonly stdin?: boolean;
}

/** A child process that leads a process group of its own; disposing ends the whole group. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number;
  /** Resolves, never rejects, once the child has ended: its exit code, or null after a signal. */
  readonly exited: Promise<number | null>;
  /** The last 64k characters of stdout and stderr together. */
  readonly output: () => string;
  /** Waits for output that matches; fails with the output so far when the child ends first, or after `timeout` ms. */
  until(pattern: RegExp, timeout?: number): Promise<RegExpMatchArray>;
  /** Signals the whole group; does nothing once it is gone. */
  kill(signal: NodeJS.Signals): void;
}

const KEPT = 65_536;

export function startProcess(command: string, args: readonly string[], options: StartOptions = {}): RunningProcess {
  const child = spawn(command, args, {
    detached: true,
    stdio: [options.stdin ? "pipe" : "ignore", "pipe", "pipe"],
    env: options.env ?? { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8" },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const name = [command, ...args].join(" ");
  const waiting = new Set<() => void>();
  let output = "";
  let ended: string | undefined;

  function wake(): void {
    for (const check of waiting) check();
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-KEPT);
      wake();
    });
  }
  const exited = new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      ended = error.message;
      wake();
      resolve(null);
    });
    child.once("close", (code, signal) => {
      ended ??= `ended with ${code ?? signal}`;
      wake();
      resolve(code);
    });
  });

  function kill(signal: NodeJS.Signals): void {
    // An undefined pid means that the program could not be started; a group of 0 would be our own.
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // ESRCH: the group is gone already, which is what the caller wants.
    }
  }
  const watchdog = child.pid === undefined ? undefined : killWhenWeDie(child.pid);

  return {
    pid: child.pid ?? -1,
    exited,
    kill,
    output: () => output,
    until(pattern, timeout = 20_000) {
      return new Promise((resolve, reject) => {
        const fail = (why: string) => finish(() => reject(new Error(`${name}: ${why}\n${output.slice(-4000)}`)));
        const timer = setTimeout(() => fail(`no output like ${String(pattern)} in ${timeout} ms`), timeout);
        function finish(settle: () => void): void {
          clearTimeout(timer);
          waiting.delete(check);
          settle();
        }
        function check(): void {
          const match = output.match(pattern);
          if (match) finish(() => resolve(match));
          else if (ended !== undefined) fail(ended);
        }
        waiting.add(check);
        check();
      });
    },
    async [Symbol.asyncDispose]() {
      kill("SIGTERM");
      const patience = setTimeout(() => kill("SIGKILL"), 1000);
      await exited;
      clearTimeout(patience);
      // The leader is gone; whatever it left behind in its group goes now.
      kill("SIGKILL");
      watchdog?.kill("SIGKILL");
    },
  };
}

/** Covers a test runner that is killed in the middle of a test: its end of the pipe closes, and the group goes. */
function killWhenWeDie(group: number): ChildProcess {
  const watchdog = spawn("/bin/sh", ["-c", `read -r _; kill -KILL -${group}`], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watchdog.unref();
  // Else the open pipe would keep this process alive.
  (watchdog.stdin as Socket).unref();
  // Killed at dispose, with nothing left to read.
  watchdog.on("error", () => {});
  return watchdog;
}
