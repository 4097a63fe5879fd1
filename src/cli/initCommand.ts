import { access, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { copySkills } from "../app/copySkills.ts";
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
  if (options.model !== undefined) {
    const read = readModelName(options.model);
    if (read.kind === "wrong") throw new UsageError(`--model ${options.model}: ${read.message}`);
  }
  const { prometheus, alertmanager, tempo, grafana, otel } = options;
  const given = Object.fromEntries(
    Object.entries({ prometheus, alertmanager, tempo, grafana, otel }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    ),
  );
  for (const [name, url] of Object.entries(given)) {
    if (!/^https?:\/\/[^\s]+$/.test(url)) throw new UsageError(`--${name} ${url} is no http address`);
  }

  const found = await findBackends(given, { signal });
  const chosen =
    options.yes || !terminal.live || options.json
      ? { backends: found, model: options.model }
      : await askStarter(found, options);
  await mkdir(directory, { recursive: true });
  const { backends, model } = chosen;
  await writeFile(
    file,
    starterConfig({ backends, allow: knownReads(backends), ...(model === undefined ? {} : { model }) }),
    { flag: "wx" },
  );
  const skills =
    options.skills === false ? undefined : await copySkills(join(packageRoot(), "skills"), join(directory, "skills"));

  if (options.json) {
    const servers = backends.map(({ backend, url, up }) => ({ name: backend.name, url, up }));
    printJson(context, { file, servers, model: model ?? null, skills: skills ?? null });
    return exitCode.done;
  }
  terminal.out(`  ${shownPath(file, cwd)} is written\n`);
  for (const { backend, url, up } of backends)
    terminal.out(`  ${up ? "✓" : "!"} ${backend.title} at ${url}${up ? "" : " (does not answer)"}\n`);
  if (backends.length === 0) terminal.out("  no backend answers on its usual port: name yours in the file\n");
  if (skills) {
    const kept = skills.kept.length > 0 ? `, ${skills.kept.length} were there already and stay as they are` : "";
    terminal.out(
      `  ${skills.copied.length} skills are copied to ${shownPath(join(directory, "skills"), cwd)}${kept}\n`,
    );
  }
  terminal.out('\n  Next: korvus doctor, then korvus investigate "..."\n');
  return exitCode.done;
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
