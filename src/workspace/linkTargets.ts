import type { Mirror } from "./mirror.ts";
import type { PlannedFile } from "./seedPlan.ts";

export interface LinkOptions {
  readonly commit: string;
  readonly signal: AbortSignal;
}

/** Links asked about in one command. */
const batch = 1_000;

/**
 * What links of a tree lead to: the file that is to be written in a link's place, or the reason why there is none. git
 * follows them, inside the commit and nowhere else, so that no link is ever made, and none on this machine has a say.
 */
export async function linkTargets(
  mirror: Mirror,
  links: readonly string[],
  { commit, signal }: LinkOptions,
): Promise<ReadonlyMap<string, PlannedFile | string>> {
  const targets = new Map<string, PlannedFile | string>();
  for (let start = 0; start < links.length; start += batch) {
    const asked = links.slice(start, start + batch);
    const input = asked.map((path) => `${commit}:${path}\n`).join("");
    const { stdout } = await mirror.run(["cat-file", "--batch-check", "--follow-symlinks"], { signal, input });
    const reader = new Replies(stdout);
    for (const path of asked) targets.set(path, reader.next(path));
  }
  return targets;
}

const reasons: Readonly<Record<string, string>> = {
  symlink: "is a link that leaves the tree",
  dangling: "is a link that leads nowhere",
  loop: "is a link in a circle",
  notdir: "is a link through a file as if it were a directory",
};

class Replies {
  readonly #output: Buffer;
  #position = 0;

  constructor(output: Buffer) {
    this.#output = output;
  }

  next(path: string): PlannedFile | string {
    const line = this.#line();
    if (line === undefined) return "is a link that git cannot follow";
    const [, id, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
    if (id !== undefined && type === "blob") return { path, id, size: Number(size) };
    if (type === "tree") return "is a link to a directory, which is not followed";
    // `symlink 11` and its like are followed by as many bytes.
    const [, kind, length] = /^(symlink|dangling|loop|notdir) (\d+)$/.exec(line) ?? [];
    if (kind !== undefined) this.#position += Number(length) + 1;
    return reasons[kind ?? ""] ?? "is a link to what git does not have";
  }

  #line(): string | undefined {
    const end = this.#output.indexOf(10, this.#position);
    if (end < 0) return undefined;
    const line = this.#output.toString("utf8", this.#position, end);
    this.#position = end + 1;
    return line;
  }
}
