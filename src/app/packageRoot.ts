import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The directory of the korvus package, from the sources as from the bundle, whose files stand at another depth. */
export function packageRoot(from: string = import.meta.dirname): string {
  if (isOurs(join(from, "package.json"))) return from;
  const above = dirname(from);
  if (above === from) throw new Error("Korvus is not inside its own package: was a file of it copied elsewhere?");
  return packageRoot(above);
}

function isOurs(file: string): boolean {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { name?: unknown }).name === "korvus";
  } catch {
    // Not there, or somebody else's: look further up.
    return false;
  }
}
