import { configSchema } from "../config/schema.ts";
import { type CommandContext, type CommonOptions, commandConfig, commandLog, printJson } from "./commandContext.ts";
import { type ExitCode, exitCode } from "./exitCode.ts";
import { shownPath } from "./shownPath.ts";

/** Reads the configuration as every command does, and says what it found. What is wrong comes as the error. */
export async function configCheck(context: CommandContext, options: CommonOptions): Promise<ExitCode> {
  const { terminal, cwd } = context;
  const { file, mcp, model, skills, warnings, secrets } = await commandConfig(
    context,
    options,
    commandLog(context, options),
  );
  const servers = mcp.servers.map(({ name, kind }) => ({ name, kind }));
  const modelId = model && `${model.provider}/${model.name}`;
  if (options.json) {
    const variables = secrets.map(({ name }) => name);
    printJson(context, {
      file: file ?? null,
      skills: skills.path,
      servers,
      model: modelId ?? null,
      variables,
      warnings,
    });
    return exitCode.done;
  }
  const named = servers.length > 0 ? servers.map(({ name }) => name).join(", ") : "none";
  terminal.out(`  ${file === undefined ? "no korvus.yaml: the defaults count" : `${shownPath(file, cwd)} is valid`}\n`);
  terminal.out(`  servers  ${named}\n  model    ${modelId ?? "runbook"}\n  skills   ${shownPath(skills.path, cwd)}\n`);
  return exitCode.done;
}

/** The JSON Schema of `korvus.yaml`, for editors. */
export function printConfigSchema(context: CommandContext): ExitCode {
  printJson(context, configSchema());
  return exitCode.done;
}
