import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type FileFilter, treeFiles } from "./treeFiles.ts";
import type { ScratchTree } from "./workspace.ts";

/** More is not read by anybody. */
const most = 500;

/** One line a file, path and bytes; then how many more, and what of the commit is left out. */
export async function listFiles(
  { path: root, leftOut }: Pick<ScratchTree, "path" | "leftOut">,
  filter: FileFilter,
  signal: AbortSignal,
): Promise<string> {
  const files = await treeFiles(root, filter, signal);
  if (files.length === 0 && leftOut.length === 0) return "No files found.";
  const shown = await Promise.all(
    files.slice(0, most).map(async (file) => `${file}\t${(await stat(join(root, file))).size}`),
  );
  const more =
    files.length > most ? [`[${files.length - most} more files are not shown: give a path or a pattern]`] : [];
  const missing = leftOut.map(({ path, reason }) => `[left out: ${path} ${reason}]`);
  return [...(files.length === 0 ? ["No files found."] : shown), ...more, ...missing].join("\n");
}
