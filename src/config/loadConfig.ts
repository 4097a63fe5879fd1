import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Config } from "./config.ts";
import { ConfigError } from "./configError.ts";
import { defaultConfig } from "./defaultConfig.ts";
import type { Environment } from "./expandVariables.ts";

/** The only name that is looked for. */
const fileName = "korvus.yaml";

/** Bytes. */
const largest = 16 * 2 ** 20;

interface LoadOptions {
  /** Explicit, relative to `cwd`: must exist. Absent: `korvus.yaml` in `cwd` or the nearest directory above. */
  readonly file?: string;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
}

/** The configuration that counts in `cwd`; no file at all is the default one. Throws `ConfigError`. */
export async function loadConfig({ file, cwd, env }: LoadOptions): Promise<Config> {
  const found = file === undefined ? findUp(cwd) : read(resolve(cwd, file), file);
  if (found === undefined && file !== undefined) throw failure(file, "no such file");
  if (found === undefined) return defaultConfig(cwd);

  const { path, bytes } = found;
  const shown = file ?? relative(cwd, path);
  if (!isUtf8(bytes)) throw failure(shown, "the file is not UTF-8");
  const { parseConfig } = await import("./parseConfig.ts");
  return { ...parseConfig(bytes.toString(), { file: shown, directory: dirname(path), env }), file: path };
}

interface Found {
  readonly path: string;
  readonly bytes: Buffer;
}

function findUp(directory: string): Found | undefined {
  const path = join(directory, fileName);
  const found = read(path, path);
  return found ?? (dirname(directory) === directory ? undefined : findUp(dirname(directory)));
}

/** Undefined where there is no such file. Waits for the disk: nothing else goes on yet, and every command starts here. */
function read(path: string, shown: string): Found | undefined {
  try {
    if (statSync(path).size > largest) throw Object.assign(new Error(), { code: `more than ${largest / 2 ** 20} MiB` });
    return { path, bytes: readFileSync(path) };
  } catch (cause) {
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw failure(shown, `cannot be read: ${code}`, cause);
  }
}

function failure(file: string, message: string, cause?: unknown): ConfigError {
  return new ConfigError(file, [{ line: 1, column: 1, path: "", message }], { cause });
}
