import { isAbsolute, relative, sep } from "node:path";

/** A path as people know it: below the working directory relative to it, else absolute. */
export function shownPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  if (short === "") return ".";
  return short.startsWith("..") || isAbsolute(short) ? path : `.${sep}${short}`;
}
