import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { ArgumentError } from "./argumentError.ts";
import { globPattern } from "./globPattern.ts";

/** What is looked for below a tree: all there is, or a part of it. */
export interface FileFilter {
  readonly path?: string | undefined;
  readonly pattern?: string | undefined;
}

/**
 * Paths of a tree's files, ascending by UTF-8 bytes, "/" between names. The tree holds directories and files only: there
 * are no links in it to follow.
 */
export async function treeFiles(
  root: string,
  { path, pattern }: FileFilter,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const start = path === undefined ? "" : treePath(path);
  const matches = pattern === undefined ? () => true : globPattern(pattern);
  const found: string[] = [];
  const visit = async (directory: string): Promise<void> => {
    signal.throwIfAborted();
    for await (const entry of await opendir(join(root, directory))) {
      const child = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory()) await visit(child);
      else if (matches(child)) found.push(child);
    }
  };
  try {
    await visit(start);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return matches(start) ? [start] : [];
    if (code === "ENOENT")
      throw new ArgumentError(`there is no ${JSON.stringify(start)} at this commit: list_files shows what is there`);
    throw error;
  }
  return found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** A path as a model may write it, relative to the tree. Throws `ArgumentError` for one that leads out of it. */
export function treePath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..") || path.includes("\0"))
    throw new ArgumentError(`${JSON.stringify(path)} leads out of the repository: paths start at its top`);
  return parts.join("/");
}
