import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FileFilter, treeFiles } from "./treeFiles.ts";
import type { ScratchTree } from "./workspace.ts";

const mostMatches = 200;
/** Of a line, characters. */
const mostShown = 300;

export interface TextSearch extends FileFilter {
  readonly text: string;
}

/** `path:line: text` of each line that holds the text, in path order; how many more there are; which files are no text. */
export async function searchFiles(
  { path: root }: Pick<ScratchTree, "path">,
  { text, ...filter }: TextSearch,
  signal: AbortSignal,
): Promise<string> {
  const wanted = text.toLowerCase();
  const found: string[] = [];
  let matches = 0;
  let binary = 0;
  for (const file of await treeFiles(root, filter, signal)) {
    signal.throwIfAborted();
    const content = await readFile(join(root, file));
    if (!isUtf8(content) || content.includes(0)) {
      binary++;
      continue;
    }
    const whole = content.toString();
    if (!whole.toLowerCase().includes(wanted)) continue;
    for (const [index, line] of whole.split("\n").entries()) {
      if (!line.toLowerCase().includes(wanted)) continue;
      matches++;
      if (matches <= mostMatches) found.push(`${file}:${index + 1}: ${shortened(line.trim())}`);
    }
  }
  if (matches === 0)
    return binary === 0 ? "No matches found." : `No matches found in text; ${binary} files are no text.`;
  const more =
    matches > mostMatches ? [`[${matches - mostMatches} more lines are not shown: give a path or a longer text]`] : [];
  const unread = binary > 0 ? [`[${binary} files are no text and were not searched]`] : [];
  return [...found, ...more, ...unread].join("\n");
}

function shortened(line: string): string {
  return line.length > mostShown ? `${line.slice(0, mostShown).toWellFormed()}…` : line;
}
