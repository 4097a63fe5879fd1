import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { gitEnvironment, type HiddenSetting } from "./gitEnvironment.ts";

export interface GitOptions {
  /** Ends git, and all that it started, when it aborts. */
  readonly signal: AbortSignal;
  /** Of one command, ms. */
  readonly timeout: number;
  readonly hidden?: readonly HiddenSetting[];
  /** Takes stdout as it comes instead of collecting it; what it throws ends the command. */
  readonly onOutput?: (chunk: Buffer) => void;
  /** The command runs, as the leader of this process group. */
  readonly onStart?: (pid: number) => void;
}

/** How a command ended by itself. */
export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  /** Its end, at most. */
  readonly stderr: string;
}

export interface RunningGit {
  readonly stdin: Writable;
  readonly result: Promise<GitResult>;
}

/** git did not run to its end: `missing` (no such program), `timeout`, or `failed` (killed, or too much output). */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly kind: "missing" | "timeout" | "failed";

  constructor(kind: GitError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** No hooks, no helpers that watch files, no maintenance behind our back; hostile objects are ours to judge, alike on every machine. */
const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "protocol.ext.allow=never",
  "gc.auto=0",
  "maintenance.auto=false",
  "transfer.fsckObjects=false",
  "fetch.fsckObjects=false",
  // Packs are read several times as fast as loose objects.
  "fetch.unpackLimit=1",
  "advice.detachedHead=false",
].flatMap((setting) => ["-c", setting]);

const mostOutput = 64 * 2 ** 20;
const mostWords = 8 * 1024;
/** From SIGTERM to SIGKILL, and how long the last words of a process that has exited are waited for, ms. */
const grace = 400;
const drain = 100;

/**
 * Runs `git`, never through a shell. Each command leads a session of its own: no terminal to ask on, and what it started
 * (ssh, helpers) ends with it. Nothing is left running when `end` has been called, as on the exit of our process.
 */
export class Git {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #leaders = new Set<number>();

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = environment;
  }

  /** The result, whatever the exit code. Rejects with the signal's reason, or `GitError`. */
  run(args: readonly string[], options: GitOptions & { readonly input?: string }): Promise<GitResult> {
    const { stdin, result } = this.start(args, options);
    stdin.end(options.input);
    return result;
  }

  start(args: readonly string[], options: GitOptions): RunningGit {
    const child = spawn("git", [...settings, ...args], {
      // With a missing working directory, git itself would seem to be missing.
      cwd: "/",
      env: gitEnvironment(this.#environment, options.hidden),
      detached: true,
      stdio: "pipe",
      windowsHide: true,
    });
    if (child.pid !== undefined) {
      this.#leaders.add(child.pid);
      options.onStart?.(child.pid);
    }
    // A command that ended early does not read its input: its exit says why.
    child.stdin.on("error", () => undefined);
    return { stdin: child.stdin, result: this.#result(child, options) };
  }

  /** Synchronous, for the exit of our process. */
  end(): void {
    for (const leader of this.#leaders) signalGroup(leader, "SIGKILL");
    this.#leaders.clear();
  }

  async #result(child: ChildProcessWithoutNullStreams, options: GitOptions): Promise<GitResult> {
    const { signal, timeout } = options;
    const { promise, reject, resolve } = Promise.withResolvers<GitResult>();
    const limit = setTimeout(
      () => reject(new GitError("timeout", `no answer within ${Math.round(timeout / 1000)} s`)),
      timeout,
    );
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    collect(child, { options, resolve, reject });
    try {
      return await promise;
    } catch (error) {
      await this.#kill(child);
      throw error;
    } finally {
      clearTimeout(limit);
      signal.removeEventListener("abort", onAbort);
      if (child.pid !== undefined) this.#leaders.delete(child.pid);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    }
  }

  async #kill(child: ChildProcessWithoutNullStreams): Promise<void> {
    if (child.pid === undefined) return;
    signalGroup(child.pid, "SIGTERM");
    for (let waited = 0; waited < grace && signalGroup(child.pid, 0); waited += 10) await delay(10);
    signalGroup(child.pid, "SIGKILL");
  }
}

interface Settling {
  readonly options: GitOptions;
  readonly resolve: (result: GitResult) => void;
  readonly reject: (error: unknown) => void;
}

function collect(child: ChildProcessWithoutNullStreams, { options, resolve, reject }: Settling): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let words = "";
  const onOutput = (chunk: Buffer) => {
    if (options.onOutput) return options.onOutput(chunk);
    bytes += chunk.length;
    if (bytes > mostOutput) throw new GitError("failed", `git printed more than ${mostOutput} bytes`);
    chunks.push(chunk);
  };
  child.stdout.on("data", (chunk: Buffer) => {
    try {
      onOutput(chunk);
    } catch (error) {
      child.stdout.destroy();
      reject(error);
    }
  });
  child.stderr.on("data", (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-mostWords);
  });
  child.on("error", (error: NodeJS.ErrnoException) => {
    const message =
      error.code === "ENOENT" ? "git is not installed, or not in PATH" : `git cannot be run: ${error.message}`;
    reject(new GitError("missing", message, { cause: error }));
  });
  const read = new Promise((done) => child.stdout.on("close", done));
  // Not "close" of the child: a connection that ssh keeps open for later holds stderr for minutes.
  const said = new Promise((done) => child.stderr.on("close", done));
  child.on("exit", (code, signal) => {
    void (async () => {
      await read;
      await Promise.race([said, delay(drain, undefined, { ref: false })]);
      if (code === null) reject(new GitError("failed", `git was ended by ${signal}`));
      else resolve({ code, stdout: Buffer.concat(chunks), stderr: words });
    })();
  });
}

/** False when no process of the group is left. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
