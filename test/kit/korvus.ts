import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { eventually } from "./eventually.ts";
import { tempDir } from "./tempDir.ts";

const main = join(import.meta.dirname, "../../src/cli/main.ts");

/** A `korvus.yaml` as an object. */
interface ConfigObject {
  readonly mcp?: object;
  readonly [section: string]: unknown;
}

export interface Ended {
  /** Null after a signal that ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface KorvusOptions {
  /** Beside PATH, HOME, which is TMPDIR too, a C.UTF-8 locale and UTC. */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its input, which is then closed. Default: closed at once. `open` leaves it open. */
  readonly stdin?: string | { readonly open: true };
  /** Default: the place's own directory. */
  readonly cwd?: string;
  /** A file that takes its stdout. */
  readonly stdout?: string;
  /** A shell command that runs before it in the same directory. */
  readonly first?: string;
}

export interface RunningKorvus {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once stdout and stderr together hold a match; fails when it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
}

/** A process that some Korvus of a place started, directly or not. */
export interface Descendant {
  readonly pid: number;
  readonly command: string;
}

/**
 * A directory with a `korvus.yaml` (given as an object), other files, and a HOME of its own, in which the real command
 * runs from its sources. Everything that a Korvus starts inherits that HOME: so its processes can be told from all
 * others, and what is left of them goes at dispose.
 */
export async function korvusPlace(config: ConfigObject | undefined, files: Readonly<Record<string, string>> = {}) {
  const dir = await tempDir({
    ...(config && { "korvus.yaml": stringify(withPatience(config)) }),
    ...files,
    "home/.keep": "",
  });
  const home = join(dir.path, "home");
  const environment = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8", TZ: "UTC", TMPDIR: home };
  const started: RunningKorvus[] = [];

  function start(args: readonly string[], options: KorvusOptions = {}): RunningKorvus {
    const { env = {}, stdin = "", cwd = dir.path, stdout, first } = options;
    const script = `${first ?? ":"}; exec "$0" "$@"${stdout === undefined ? "" : ` > ${stdout}`}`;
    const program = [process.execPath, main, ...args];
    const [command = "", ...rest] = (stdout ?? first) ? ["/bin/sh", "-c", script, ...program] : program;
    const running = startCommand(command, rest, { env: { ...environment, ...env }, cwd, stdin });
    started.push(running);
    return running;
  }
  /** Processes that were started by a Korvus of this place and still run. */
  function processes(): readonly Descendant[] {
    const own = new Set(started.map(({ pid }) => pid));
    return processesWithHome(home).filter(({ pid }) => !own.has(pid));
  }

  return {
    path: dir.path,
    environment,
    start,
    processes,
    /** Runs to the end. */
    run: (args: readonly string[], options?: KorvusOptions): Promise<Ended> => start(args, options).ended,
    /**
     * Starts on a pseudo-terminal of so many columns, whose text comes as `stdout`; what is written to the child's stdin
     * is typed. Needs the program `script`.
     */
    startOnTerminal(args: readonly string[], columns: number): RunningKorvus {
      const words = [process.execPath, main, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
      const command = `stty cols ${columns} rows 50; exec ${words.join(" ")}`;
      const env = { ...environment, TERM: "xterm-256color", SHELL: "/bin/sh" };
      const options = { env, cwd: dir.path, stdin: { open: true } as const };
      const running = startCommand("script", ["-qefc", command, "/dev/null"], options);
      started.push(running);
      return running;
    },
    async write(name: string, content: string): Promise<void> {
      await mkdir(dirname(join(dir.path, name)), { recursive: true });
      await writeFile(join(dir.path, name), content);
    },
    /** Fails unless every process that a Korvus started is gone, or goes within a moment, and so are its files. */
    async nothingIsLeft(): Promise<void> {
      await eventually("every child and grandchild is gone", () => processes().length === 0, 500).catch(() => {
        throw new Error(`still running: ${JSON.stringify(processes())}`);
      });
      const files = readdirSync(home).filter((name) => name.startsWith("korvus-"));
      if (files.length > 0) throw new Error(`left behind: ${files.join(", ")}`);
    },
    async [Symbol.asyncDispose]() {
      for (const running of started) running.kill("SIGKILL");
      await Promise.all(started.map(({ ended }) => ended));
      for (const { pid } of processesWithHome(home)) endProcess(pid, "SIGKILL");
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** Servers may start slowly where many tests share a machine: unless a configuration says otherwise, they may. */
function withPatience(config: ConfigObject): object {
  return config.mcp ? { ...config, mcp: { connect_timeout: "40s", ...config.mcp } } : config;
}

export type KorvusPlace = Awaited<ReturnType<typeof korvusPlace>>;

function startCommand(
  command: string,
  args: readonly string[],
  { env, cwd, stdin }: Required<Pick<KorvusOptions, "env" | "cwd" | "stdin">>,
): RunningKorvus {
  const began = Date.now();
  const child = spawn(command, args, { cwd, env, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      for (const check of waiting) check();
    });
  }
  child.stdin.on("error", () => {
    // It ended without reading: what it said tells why.
  });
  if (typeof stdin === "string") child.stdin.end(stdin);
  let over = false;
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code) => {
      over = true;
      resolve({ code, ...output, ms: Date.now() - began });
      for (const check of waiting) check();
    });
  });
  return {
    pid: child.pid ?? -1,
    child,
    ended,
    kill: (signal) => void child.kill(signal),
    until(pattern) {
      return new Promise((resolve, reject) => {
        const check = () => {
          const found = pattern.exec(output.stdout + output.stderr);
          if (!found && !over) return;
          waiting.delete(check);
          if (found) resolve(found);
          else reject(new Error(`ended without ${String(pattern)}:\n${output.stdout}\n${output.stderr}`));
        };
        waiting.add(check);
        check();
      });
    },
  };
}

/** Reads the environments of all processes; finds none where there is no /proc. */
function processesWithHome(home: string): readonly Descendant[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = readProc(pid, "environ");
      if (!environment.includes(`HOME=${home}`)) return [];
      return [{ pid: Number(pid), command: readProc(pid, "cmdline").join(" ").trim() }];
    });
}

function readProc(pid: string, file: "environ" | "cmdline"): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0");
  } catch {
    return []; // It has ended meanwhile, or belongs to somebody else.
  }
}

/** Signals one process; does nothing once it is gone. */
export function endProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it is gone already.
  }
}
