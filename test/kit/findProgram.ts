import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of the first of `names` that PATH holds; undefined when it holds none. */
export function findProgram(...names: readonly string[]): string | undefined {
  const dirs = (process.env["PATH"] ?? "").split(delimiter).filter((dir) => dir !== "");
  return names
    .flatMap((name) => dirs.map((dir) => join(dir, name)))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false; // Not there, or not to be run: the next candidate.
      }
    });
}
