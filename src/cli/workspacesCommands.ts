import { openWorkspaces } from "../app/grounds.ts";
import { CatalogError, load } from "../skill/catalog.ts";
import { repositoryAddress } from "../workspace/repositoryAddress.ts";
import type { ScratchTree } from "../workspace/workspace.ts";
import { type CommandContext, type CommonOptions, commandConfig, commandLog, printJson } from "./commandContext.ts";
import { type ExitCode, exitCode } from "./exitCode.ts";
import { table } from "./table.ts";
import { visible } from "./text.ts";
import { workspaceFlag } from "./workspaceFlag.ts";

export async function workspacesList(context: CommandContext, options: CommonOptions): Promise<ExitCode> {
  const config = await commandConfig(context, options, commandLog(context, options));
  const rows = config.workspaces.map(({ name, repository, ref = "HEAD" }) => {
    const address = repositoryAddress(repository);
    return { name, ref, repository: "refused" in address ? "not supported" : address.shown };
  });
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

/** What a session pinned to the ref would get: its commit, its files, its skills before any filter by servers. */
export async function workspacesResolve(
  context: CommandContext,
  text: string,
  options: CommonOptions,
): Promise<ExitCode> {
  const { clock, env: environment, signal, terminal } = context;
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
  terminal.out(`  ${visible(name)} ${resolved.commit} (${visible(resolved.ref)})\n`);
  terminal.out(`  files    ${tree.files}, ${tree.bytes} bytes\n`);
  for (const { path, reason } of tree.leftOut) terminal.out(`  left out ${visible(path)} ${visible(reason)}\n`);
  if ("fault" in skills) terminal.out(`  skills   ${terminal.outColors.yellow(`none: ${visible(skills.fault)}`)}\n`);
  else terminal.out(`  skills   ${skills.skills.map(visible).join(", ") || "none: its skills directory is empty"}\n`);
  return exitCode.done;
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
