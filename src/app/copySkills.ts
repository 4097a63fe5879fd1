import { constants } from "node:fs";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface CopiedSkills {
  readonly copied: readonly string[];
  /** Files of that name were there already; they were left as they are. */
  readonly kept: readonly string[];
}

/** Copies the skills in `from` into `to`. Never overwrites: what is there is somebody's work. */
export async function copySkills(from: string, to: string): Promise<CopiedSkills> {
  await mkdir(to, { recursive: true });
  const copied: string[] = [];
  const kept: string[] = [];
  for (const name of (await readdir(from)).filter((file) => file.endsWith(".md")).sort()) {
    try {
      await copyFile(join(from, name), join(to, name), constants.COPYFILE_EXCL);
      copied.push(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      kept.push(name);
    }
  }
  return { copied, kept };
}
