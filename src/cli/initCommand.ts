import { access, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type CopiedSkills, copySkills } from "../app/copySkills.ts";
import { packageRoot } from "../app/packageRoot.ts";
import { starterConfig } from "../app/starterConfig.ts";
import { type FoundBackend, findBackends } from "../app/usualBackends.ts";
import { readModelName } from "../config/model.ts";
import { presets } from "../preset/presets.ts";
import { askStarter } from "./askStarter.ts";
import { type CommandContext, type CommonOptions, printJson } from "./commandContext.ts";
import { type ExitCode, exitCode, UsageError } from "./exitCode.ts";
import { shownPath } from "./shownPath.ts";

export interface InitOptions extends CommonOptions {
  readonly dir?: string;
  readonly prometheus?: string;
  readonly alertmanager?: string;
  readonly tempo?: string;
  readonly grafana?: string;
  readonly otel?: string;
  readonly model?: string;
  /** Takes what answers, and asks nothing. */
  readonly yes?: boolean;
  /** False with `--no-skills`. */
  readonly skills?: boolean;
}

/** Writes a `korvus.yaml` for what answers here and copies the shipped skills beside it. Overwrites nothing. */
export async function init(context: CommandContext, options: InitOptions): Promise<ExitCode> {
  const { terminal, cwd, signal } = context;
  const directory = resolve(cwd, options.dir ?? ".");
  const file = join(directory, "korvus.yaml");
  if (await exists(file))
    throw new UsageError(
      `${shownPath(file, cwd)} exists, and is not overwritten\nkorvus doctor says what it is good for`,
    );
  checkModel(options.model);

  const found = await findBackends(givenBackends(options), { signal });
  const { backends, model } =
    options.yes || !terminal.live || options.json
      ? { backends: found, model: options.model }
      : await askStarter(found, options);
  await mkdir(directory, { recursive: true });
  const text = starterConfig({ backends, allow: knownReads(backends), ...(model === undefined ? {} : { model }) });
  await writeFile(file, text, { flag: "wx" });
  const skills =
    options.skills === false ? undefined : await copySkills(join(packageRoot(), "skills"), join(directory, "skills"));

  if (options.json) {
    const servers = backends.map(({ backend, url, up }) => ({ name: backend.name, url, up }));
    printJson(context, { file, servers, model: model ?? null, skills: skills ?? null });
  } else terminal.out(rendered({ file, directory, backends, skills }, cwd));
  return exitCode.done;
}

interface Written {
  readonly file: string;
  readonly directory: string;
  readonly backends: readonly FoundBackend[];
  readonly skills: CopiedSkills | undefined;
}

function rendered({ file, directory, backends, skills }: Written, cwd: string): string {
  const lines = [`${shownPath(file, cwd)} is written`];
  for (const { backend, url, up } of backends)
    lines.push(`${up ? "✓" : "!"} ${backend.title} at ${url}${up ? "" : " (does not answer)"}`);
  if (backends.length === 0) lines.push("no backend answers on its usual port: name yours in the file");
  if (skills) {
    const { copied, kept } = skills;
    const done = [
      ...(copied.length > 0 ? [`${copied.length} skills are copied`] : []),
      ...(kept.length > 0 ? [`${kept.length} were there already and stay as they are`] : []),
    ];
    lines.push(`${shownPath(join(directory, "skills"), cwd)}: ${done.join(", ")}`);
  }
  return `${lines.map((line) => `  ${line}\n`).join("")}\n  Next: korvus doctor, then korvus investigate "..."\n`;
}

function checkModel(model: string | undefined): void {
  const read = model === undefined ? undefined : readModelName(model);
  if (read?.kind === "wrong") throw new UsageError(`--model ${model}: ${read.message}`);
}

/** Addresses by backend, as the options name them. */
function givenBackends({ prometheus, alertmanager, tempo, grafana, otel }: InitOptions): Record<string, string> {
  const given = Object.entries({ prometheus, alertmanager, tempo, grafana, otel }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  for (const [name, url] of given) {
    if (!/^https?:\/\/[^\s]+$/.test(url)) throw new UsageError(`--${name} ${url} is no http address`);
  }
  return Object.fromEntries(given);
}

/** As patterns for `policy.allow`. */
function knownReads(backends: readonly FoundBackend[]): readonly string[] {
  return backends.flatMap(({ backend: { name, readsOfPreset } }) => {
    const preset = presets.find(({ id }) => id === readsOfPreset);
    return (preset?.readOnly ?? []).map((tool) => `${name}.${tool}`);
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    // What cannot be reached cannot be overwritten either: writing says why.
    return false;
  }
}
