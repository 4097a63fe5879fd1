/** What the tests need beside `npm ci`, what of it is missing, and how to get it. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../test/kit/findProgram.ts";
import type { Part } from "../test/kit/needs.ts";
import { isStale, type LockFile } from "./isStale.ts";

const serversDir = join(import.meta.dirname, "../test/servers");

const found = ({ names, part }: Program) =>
  findProgram(...names) !== undefined || (part === "postgres" && postgresPaths().some((path) => existsSync(path)));

interface Program {
  readonly part: Part;
  readonly names: readonly string[];
  readonly debian: string;
}

const programs: readonly Program[] = [
  { part: "git", names: ["git"], debian: "git" },
  { part: "postgres", names: ["postgres"], debian: "postgresql" },
  { part: "prometheus", names: ["prometheus"], debian: "prometheus" },
  { part: "alertmanager", names: ["prometheus-alertmanager", "alertmanager"], debian: "prometheus-alertmanager" },
];

/** Debian keeps it out of PATH. */
function postgresPaths(): readonly string[] {
  const root = "/usr/lib/postgresql";
  return existsSync(root) ? readdirSync(root).map((version) => join(root, version, "bin", "postgres")) : [];
}

const goServers = [
  "mcp-prometheus-linux-amd64",
  "mcp-alertmanager-linux-amd64",
  "kubernetes-mcp-server-linux-amd64",
] as const;

export interface MissingPart {
  readonly part: Part;
  readonly cure: string;
}

/** Installs `test/servers/package.json` where it is missing or differs from its lock file. Throws when npm fails. */
export function installTestServers(): void {
  const read = (path: string) => JSON.parse(readFileSync(join(serversDir, path), "utf8")) as LockFile;
  const installed = "node_modules/.package-lock.json";
  if (existsSync(join(serversDir, installed)) && !isStale(read("package-lock.json"), read(installed))) return;
  console.log("test servers: npm ci in test/servers");
  // Under `npm test` this is the npm that runs us; on Windows a bare `npm` would not start without a shell.
  const npm = process.env["npm_execpath"];
  const [command, ...args] = npm === undefined ? ["npm"] : [process.execPath, npm];
  run(command, [...args, "ci"]);
}

/** On Debian and as root, installs the programs that are missing. Elsewhere it does nothing. Throws when apt fails. */
export function installDebianPackages(): void {
  const absent = programs.filter((program) => !found(program)).map(({ debian }) => debian);
  if (absent.length === 0 || process.getuid?.() !== 0 || findProgram("apt-get") === undefined) return;
  console.log(`Debian packages: ${absent.join(", ")}`);
  run("apt-get", ["-q", "update"]);
  run("apt-get", ["-q", "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", ...absent]);
}

export function missingParts(): readonly MissingPart[] {
  const missing: MissingPart[] = programs
    .filter((program) => !found(program))
    .map(({ part, names, debian }) => ({
      part,
      cure: `Debian: apt-get install ${debian}; elsewhere: the program ${names.join(" or ")} on PATH`,
    }));
  const absent = goServers.filter((name) => !existsSync(join(serversDir, "node_modules", name, "bin", name)));
  if (absent.length === 0) return missing;
  return [...missing, { part: "go-servers", cure: `${absent.join(", ")} exist for linux on amd64 only` }];
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, {
    cwd: serversDir,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`, { cause: error });
}
