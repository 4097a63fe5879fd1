import { openWorkspaces } from "../app/grounds.ts";
import { CatalogError, load } from "../skill/catalog.ts";
import { repositoryAddress } from "../workspace/repositoryAddress.ts";
import type { ResolvedRef, ScratchTree } from "../workspace/workspace.ts";
import { type CommandContext, type CommonOptions, commandConfig, commandLog, printJson } from "./commandContext.ts";
import { type ExitCode, exitCode } from "./exitCode.ts";
import { remoteOf, type ServerOption } from "./openSessions.ts";
import { table } from "./table.ts";
import { visible } from "./text.ts";
import { workspaceFlag } from "./workspaceFlag.ts";

export async function workspacesList(
  context: CommandContext,
  options: CommonOptions & ServerOption,
): Promise<ExitCode> {
  const rows = await listed(context, options);
  if (options.json) printJson(context, { workspaces: rows });
  else if (rows.length === 0)
    context.terminal.err("  no workspace is configured: see workspaces in docs/configuration.md\n");
  else
    context.terminal.out(
      table(
        ["name", "ref", "repository"],
        rows.map(({ name, ref, repository }) => [name, ref, repository]),
      ),
    );
  return exitCode.done;
}

async function listed(context: CommandContext, options: CommonOptions & ServerOption) {
  const remote = await serverWorkspaces(context, options);
  if (remote)
    return (await remote.list(context.signal)).map((row) => ({ ...row, ref: row.ref === "" ? "HEAD" : row.ref }));
  const config = await commandConfig(context, options, commandLog(context, options));
  return config.workspaces.map(({ name, repository, ref = "HEAD" }) => {
    const address = repositoryAddress(repository);
    return { name, ref, repository: "refused" in address ? "not supported" : address.shown };
  });
}

/** The workspaces of the server that `--server` names. */
async function serverWorkspaces({ env }: CommandContext, { server, ...options }: ServerOption) {
  if (server === undefined) return undefined;
  const { remoteWorkspaces } = await import("../api/remoteWorkspaces.ts");
  return remoteWorkspaces(remoteOf({ ...options, server }, env));
}

/**
 * What a session pinned to the ref would get: its commit, its files, its skills before any filter by servers. Of a server's
 * workspace only the commit is told: the files are there.
 */
export async function workspacesResolve(
  context: CommandContext,
  text: string,
  options: CommonOptions & ServerOption,
): Promise<ExitCode> {
  const { clock, env: environment, signal, terminal } = context;
  const remote = await serverWorkspaces(context, options);
  if (remote) {
    const wanted = workspaceFlag(text);
    const resolved = await remote.resolve(wanted.name, wanted.ref, signal);
    if (options.json) printJson(context, resolved);
    else terminal.out(commitLine(resolved));
    return exitCode.done;
  }
  const log = commandLog(context, options);
  const config = await commandConfig(context, options, log);
  const { name, ref } = workspaceFlag(text, config);
  await using workspaces = await openWorkspaces(config, { clock, log, environment });
  const resolved = await workspaces.resolve(name, ref, signal);
  await using tree = await workspaces.seed(name, resolved.commit, signal);
  const skills = await skillsOf(tree);
  if (options.json) {
    const { files, bytes, leftOut } = tree;
    printJson(context, { ...resolved, files, bytes, leftOut, ...skills });
    return exitCode.done;
  }
  terminal.out(commitLine(resolved));
  terminal.out(`  files    ${tree.files}, ${tree.bytes} bytes\n`);
  for (const { path, reason } of tree.leftOut) terminal.out(`  left out ${visible(path)} ${visible(reason)}\n`);
  if ("fault" in skills) terminal.out(`  skills   ${terminal.outColors.yellow(`none: ${visible(skills.fault)}`)}\n`);
  else terminal.out(`  skills   ${skills.skills.map(visible).join(", ") || "none: its skills directory is empty"}\n`);
  return exitCode.done;
}

function commitLine({ workspace, commit, ref }: ResolvedRef): string {
  return `  ${visible(workspace)} ${commit} (${visible(ref)})\n`;
}

async function skillsOf(
  tree: ScratchTree,
): Promise<{ readonly skills: readonly string[] } | { readonly fault: string }> {
  if ("fault" in tree.skills) return tree.skills;
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  try {
    const { skills, dropped } = await load(tree.skills.path, [], quiet);
    return { skills: [...skills, ...dropped].map(({ name }) => name).sort() };
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    const broken = error.errors.map(({ file, line, code }) => `skills/${file} is broken (${code}, line ${line})`);
    return { fault: broken.join("; ") };
  }
}
