import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Config } from "./config.ts";
import { ConfigError } from "./configError.ts";
import type { Environment } from "./expandVariables.ts";
import { parseConfig } from "./parseConfig.ts";

/** The only name that is looked for. */
const fileName = "korvus.yaml";

interface LoadOptions {
  /** Explicit, relative to `cwd`: must exist. Absent: `korvus.yaml` in `cwd` or the nearest directory above. */
  readonly file?: string;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
}

/** The configuration that counts in `cwd`; no file at all is the default one. Throws `ConfigError`. */
export async function loadConfig({ file, cwd, env }: LoadOptions): Promise<Config> {
  const found = file === undefined ? await findUp(cwd) : await read(resolve(cwd, file), file);
  if (found === undefined && file !== undefined) throw failure(file, "no such file");
  if (found === undefined) return parseConfig("", { directory: cwd, env });

  const { path, bytes } = found;
  const shown = file ?? relative(cwd, path);
  if (!isUtf8(bytes)) throw failure(shown, "the file is not UTF-8");
  return { ...parseConfig(bytes.toString(), { file: shown, directory: dirname(path), env }), file: path };
}

async function findUp(directory: string): Promise<{ path: string; bytes: Buffer } | undefined> {
  const path = join(directory, fileName);
  const found = await read(path, path);
  return found ?? (dirname(directory) === directory ? undefined : findUp(dirname(directory)));
}

/** Undefined where there is no such file. */
async function read(path: string, shown: string): Promise<{ path: string; bytes: Buffer } | undefined> {
  try {
    return { path, bytes: await readFile(path) };
  } catch (cause) {
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw failure(shown, `cannot be read: ${code}`, cause);
  }
}

function failure(file: string, message: string, cause?: unknown): ConfigError {
  return new ConfigError(file, [{ line: 1, column: 1, path: "", message }], { cause });
}
