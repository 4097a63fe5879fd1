import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ArgumentError } from "./argumentError.ts";
import { treePath } from "./treeFiles.ts";
import type { ScratchTree } from "./workspace.ts";

/** What fits into an answer, UTF-16 code units. */
const most = 100_000;

export interface FileRange {
  readonly path: string;
  /** Lines, counted from 1; both are shown. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Lines of a file, each behind its number. What does not fit is said, with the line to go on from. */
export async function readTreeFile(
  { path: root, leftOut }: Pick<ScratchTree, "path" | "leftOut">,
  { path, from = 1, to = Number.POSITIVE_INFINITY }: FileRange,
): Promise<string> {
  const relative = treePath(path);
  const content = await contentOf(join(root, relative), relative, leftOut);
  if (!isUtf8(content) || content.includes(0)) return `[${relative} is no text: ${content.length} bytes]`;
  const lines = content.toString().split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.length === 0) return "No data: the file is empty.";
  if (from > lines.length) throw new ArgumentError(`${relative} has ${lines.length} lines, there is no line ${from}`);
  if (to < from) throw new ArgumentError(`line ${to} comes before line ${from}`);
  let size = 0;
  const shown: string[] = [];
  for (const [index, line] of lines.slice(from - 1, to).entries()) {
    size += line.length + 8;
    if (size > most && shown.length > 0) {
      shown.push(`[${lines.length - from + 1 - index} more lines: read on with from ${from + index}]`);
      break;
    }
    const cut =
      line.length > most ? `${line.slice(0, most).toWellFormed()} [the line has ${line.length} characters]` : line;
    shown.push(`${from + index}\t${cut}`);
  }
  return shown.join("\n");
}

async function contentOf(file: string, path: string, leftOut: ScratchTree["leftOut"]): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EISDIR") throw new ArgumentError(`${path || "/"} is a directory: list_files shows what is in it`);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    const reason = leftOut.find((entry) => entry.path === path)?.reason;
    throw new ArgumentError(
      reason === undefined
        ? `there is no file ${path} at this commit: list_files shows what is there`
        : `${path} ${reason}`,
    );
  }
}
