import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { eventually } from "./eventually.ts";
import { findProgram } from "./findProgram.ts";
import { freePort } from "./freePort.ts";
import { type RunningProcess, startProcess } from "./startProcess.ts";
import { tempDir } from "./tempDir.ts";

export interface RunningPostgres extends AsyncDisposable {
  /** Of the database `postgres`, as a superuser. */
  readonly url: string;
  readonly port: number;
  /** A new, empty database; gives its URL. */
  createDatabase(name: string): Promise<string>;
  /** Ends it, with SIGKILL unless told otherwise, and starts it again over the same data. */
  restart(signal?: "SIGKILL" | "SIGINT"): Promise<void>;
}

/** A real PostgreSQL on loopback, data in a directory of its own. As root it runs as the user `postgres`, since it refuses root. */
export async function startPostgres(settings: readonly string[] = []): Promise<RunningPostgres> {
  await using stack = new AsyncDisposableStack();
  const dir = stack.use(await tempDir());
  const data = join(dir.path, "data");
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
    chownSync(dir.path, id("-u"), id("-g"));
    chmodSync(dir.path, 0o700);
  }
  const command = (program: string, args: readonly string[]): readonly [string, readonly string[]] =>
    asRoot ? ["runuser", ["-u", "postgres", "--", program, ...args]] : [program, args];
  const [init, initArgs] = command(postgresProgram("initdb"), [
    "-D",
    data,
    "-U",
    "korvus",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ]);
  execFileSync(init, initArgs, { cwd: dir.path, stdio: "ignore" });
  const port = await freePort();
  const options = ["max_connections=300", "unix_socket_directories=", "listen_addresses=127.0.0.1", ...settings];
  const args = ["-D", data, "-p", String(port), ...options.flatMap((option) => ["-c", option])];

  let server = await start();
  async function start(): Promise<RunningProcess> {
    const [program, rest] = command(postgresProgram("postgres"), args);
    const running = startProcess(program, rest, { cwd: dir.path });
    await running.until(/database system is ready to accept connections/);
    return running;
  }
  stack.defer(() => server[Symbol.asyncDispose]());
  const urlOf = (database: string) => `postgres://korvus@127.0.0.1:${port}/${database}`;
  const owned = stack.move();
  return {
    url: urlOf("postgres"),
    port,
    async createDatabase(name) {
      const client = new Client(urlOf("postgres"));
      await client.connect();
      try {
        await client.query(`create database "${name}"`);
      } finally {
        await client.end();
      }
      return urlOf(name);
    },
    async restart(signal = "SIGKILL") {
      server.kill(signal);
      await server.exited;
      // Its children notice a little later, and hold the port and the shared memory until then.
      let again: RunningProcess | undefined;
      await eventually(
        "PostgreSQL starts again",
        async () => {
          again = await start().catch(() => undefined);
          return again !== undefined;
        },
        20_000,
      );
      if (again) server = again;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Debian keeps its programs, all but a few, out of PATH. */
function postgresProgram(name: string): string {
  const root = "/usr/lib/postgresql";
  const versions = readdirOr(root).sort((a, b) => Number(b) - Number(a));
  const debian = versions.map((version) => join(root, version, "bin", name)).find((path) => existsSync(path));
  return debian ?? findProgram(name) ?? name;
}

function readdirOr(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
