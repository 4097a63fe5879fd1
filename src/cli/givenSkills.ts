import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "./exitCode.ts";

/**
 * The directory that `--skills` names, absolute; undefined without the option. One that does not exist is an error here:
 * the configured one may be missing, but who names one means it.
 */
export function givenSkills(cwd: string, { skills }: { readonly skills?: string }): string | undefined {
  if (skills === undefined) return undefined;
  const path = resolve(cwd, skills);
  if (!existsSync(path)) throw new UsageError(`--skills ${skills}: there is no such directory`);
  return path;
}
