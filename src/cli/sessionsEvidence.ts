import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { openWorkspaces } from "../app/grounds.ts";
import { version } from "../app/version.ts";
import type { Config } from "../config/config.ts";
import { isRemoteRepository } from "../config/serverAddress.ts";
import { createdOf } from "../session/sessionBundle.ts";
import { readExport } from "../session/sessionExport.ts";
import { type Difference, type Verification, verifySession } from "../session/verifySession.ts";
import { type CommandContext, type CommonOptions, commandConfig, commandLog, printJson } from "./commandContext.ts";
import { type ExitCode, exitCode, UsageError } from "./exitCode.ts";
import { openSessions, type ServerOption } from "./openSessions.ts";
import { visible } from "./text.ts";

export interface VerifyOptions extends CommonOptions, ServerOption {
  readonly file?: string;
  readonly repository?: string;
}

/** Whether catalog and prompt come out of the commit again. With `--file`, nothing but the file and the repository is needed. */
export async function sessionsVerify(
  context: CommandContext,
  id: string | undefined,
  options: VerifyOptions,
): Promise<ExitCode> {
  const { clock, cwd, env: environment, signal, terminal } = context;
  if ((id === undefined) === (options.file === undefined))
    throw new UsageError(
      "what shall be verified?\nkorvus sessions verify ID, or korvus sessions verify --file session.jsonl",
    );
  if (options.file !== undefined && options.server !== undefined)
    throw new UsageError("--file and --server: an export in a file is verified without a server");
  const log = commandLog(context, options);
  const config = await commandConfig(context, options, log);
  const { bundle, fault } =
    options.file === undefined
      ? readExport(await exported(context, { id: id ?? "", config, options }))
      : readFile(resolve(cwd, options.file));
  const name = createdOf(bundle.events).inputs.workspace?.name;
  const known = name === undefined ? config : withRepository(config, { name, repository: options.repository, cwd });
  await using workspaces = await openWorkspaces(known, { clock, log, environment });
  const verification = await verifySession(bundle, { workspaces, version, log, signal });
  const damage: readonly Difference[] = fault === undefined ? [] : [{ what: "export", message: fault }];
  const differences = [...verification.differences, ...damage];
  if (options.json) printJson(context, { ...verification, identical: differences.length === 0, differences });
  else terminal.out(render({ ...verification, differences }));
  return differences.length === 0 ? exitCode.done : exitCode.differs;
}

function render({ differences, workspace, promptDigest, madeBy }: Verification): string {
  const made = madeBy === undefined ? "" : `  made by Korvus ${visible(madeBy)}, verified by ${version}\n`;
  if (differences.length === 0) {
    const from = workspace ? workspace.commit.slice(0, 7) : "its stored catalog (the session is pinned to no commit)";
    return `  prompt rebuilt from ${from}: identical (sha256 ${promptDigest})\n${made}`;
  }
  return differences.map(({ what, message }) => `  differs  ${what.padEnd(12)} ${visible(message)}\n`).join("") + made;
}

async function exported(
  context: CommandContext,
  { id, config, options }: { id: string; config: Config; options: CommonOptions & ServerOption },
): Promise<string> {
  await using open = await openSessions(context, { config, options, log: commandLog(context, options) });
  return (await Array.fromAsync(open.sessions.export(id))).join("");
}

function readFile(path: string) {
  try {
    return { fault: undefined, ...readExport(readFileSync(path, "utf8")) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new UsageError(`there is no file ${path}`, { cause: error });
  }
}

interface GivenRepository {
  readonly name: string;
  readonly repository: string | undefined;
  readonly cwd: string;
}

/** The workspace that the session names, at the repository that was given for it. */
function withRepository(config: Config, { name, repository, cwd }: GivenRepository): Config {
  if (repository === undefined) {
    if (config.workspaces.some((known) => known.name === name)) return config;
    throw new UsageError(`workspace ${name} is not configured here\n--repository PATH says where its repository is`);
  }
  const known = config.workspaces.find((workspace) => workspace.name === name);
  const caps = known ?? { maxFiles: 20_000, maxBytes: 256 * 2 ** 20, maxFileBytes: 8 * 2 ** 20 };
  const address = isRemoteRepository(repository) ? repository : resolve(cwd, repository);
  return { ...config, workspaces: [{ ...caps, name, repository: address }] };
}

/** A session as JSONL, to stdout or to a file that is not there yet. */
export async function sessionsExport(
  context: CommandContext,
  id: string,
  options: CommonOptions & ServerOption & { readonly output?: string },
): Promise<ExitCode> {
  const { terminal, cwd } = context;
  const log = commandLog(context, options);
  const config = await commandConfig(context, options, log);
  await using open = await openSessions(context, { config, options, log });
  const row = await open.sessions.get(id);
  const pieces = open.sessions.export(row.id);
  if (options.output === undefined) {
    for await (const piece of pieces) terminal.out(piece);
    return exitCode.done;
  }
  const file = resolve(cwd, options.output);
  await writeNew(file, pieces);
  terminal.err(`  session ${row.id.slice(0, 12)} written to ${visible(file)}\n`);
  return exitCode.done;
}

/** The whole text, or no file. */
async function writeNew(file: string, pieces: AsyncIterable<string>): Promise<void> {
  let target: number;
  try {
    target = openSync(file, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new UsageError(`${file} is there already: an export overwrites nothing`, { cause: error });
  }
  try {
    for await (const piece of pieces) writeSync(target, piece);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(target);
  }
}
