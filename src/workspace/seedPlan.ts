import { LeftOutList } from "./leftOutList.ts";
import { foldedName, nameProblem } from "./nameRules.ts";
import type { TreeEntry } from "./treeListing.ts";
import type { WorkspaceSource } from "./workspace.ts";

/** A blob that is to be written. */
export interface PlannedFile {
  /** Relative to the tree, "/" between names; safe to be joined to a directory's path. */
  readonly path: string;
  readonly id: string;
  readonly size: number;
}

export type Limits = Pick<WorkspaceSource, "maxFiles" | "maxBytes" | "maxFileBytes">;

/** What Linux takes for the target of a link. */
const longestTarget = 4_096;

/** One part of a tree, `skills` or the rest: what of it could be written, as its entries come in, and what is left out. */
export class SeedPart {
  readonly leftOut = new LeftOutList();
  /** In tree order; never more than the cap. */
  readonly files: PlannedFile[] = [];
  /** Paths of links whose targets are still to be found. */
  readonly links: string[] = [];

  readonly #limits: Limits;
  /** By folded name: the name that came first. A directory's ends in "/". */
  readonly #claims = new Map<string, string>();
  #directory = "";
  #directories = 0;
  #entries = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Entries of any kind that came in. */
  get entries(): number {
    return this.#entries;
  }

  add(entry: TreeEntry): void {
    this.#entries++;
    const problem = nameProblem(entry.path) ?? this.#problem(entry);
    if (problem !== undefined) return this.leftOut.add(entry.path, problem);
    const path = entry.path.toString();
    if (this.files.length + this.links.length >= this.#limits.maxFiles) {
      return this.leftOut.add(entry.path, tooMany(this.#limits));
    }
    const clash = this.#claim(path);
    if (clash !== undefined) return this.leftOut.add(entry.path, clash);
    if (entry.mode === "120000") this.links.push(path);
    else this.files.push({ path, id: entry.id, size: entry.size ?? 0 });
  }

  #problem({ mode, type, size }: TreeEntry): string | undefined {
    if (type === "commit") return "is a submodule, which is not followed";
    if (type !== "blob") return "is neither file nor link";
    if (size === undefined) return "is a file that git cannot read: its blob is missing or broken";
    if (mode === "120000") return size > longestTarget ? "is a link with a target that is too long" : undefined;
    return tooLarge(size, this.#limits);
  }

  /** Claims a path and the directories on its way; gives the reason where a file system could take it for another one. */
  #claim(path: string): string | undefined {
    const directory = path.slice(0, path.lastIndexOf("/") + 1);
    if (directory !== this.#directory) {
      for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
        const clash = this.#clash(path.slice(0, end + 1));
        if (clash !== undefined) return clash;
      }
      this.#directory = directory;
    }
    const key = foldedName(path);
    if (this.#claims.get(key) === path) return "stands in its directory twice";
    return this.#clash(path);
  }

  #clash(path: string): string | undefined {
    const name = path.endsWith("/") ? path.slice(0, -1) : path;
    const key = foldedName(name);
    const first = this.#claims.get(key);
    if (first === undefined) {
      // A few files can stand in millions of directories.
      if (path !== name && ++this.#directories > this.#limits.maxFiles) return tooDeep(this.#limits);
      this.#claims.set(key, path);
      return undefined;
    }
    if (first === path) return undefined;
    const firstName = first.endsWith("/") ? first.slice(0, -1) : first;
    if (firstName === name) return "is the name of a file and of a directory at once";
    return `differs from ${firstName} only in case or in its form of Unicode`;
  }
}

/** Counts what is written against the caps. */
export class Budget {
  files = 0;
  bytes = 0;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Takes room for a file, or gives the reason why there is none. */
  take({ size }: PlannedFile): string | undefined {
    const problem = tooLarge(size, this.#limits);
    if (problem !== undefined) return problem;
    if (this.files >= this.#limits.maxFiles) return tooMany(this.#limits);
    if (this.bytes + size > this.#limits.maxBytes)
      return `does not fit into the ${this.#limits.maxBytes} bytes of max_size`;
    this.files++;
    this.bytes += size;
    return undefined;
  }

  give({ size }: PlannedFile): void {
    this.files--;
    this.bytes -= size;
  }
}

function tooLarge(size: number, { maxFileBytes }: Limits): string | undefined {
  return size > maxFileBytes ? `has ${size} bytes, more than the ${maxFileBytes} of max_file_size` : undefined;
}

function tooMany({ maxFiles }: Limits): string {
  return `is beyond the ${maxFiles} files of max_files`;
}

function tooDeep({ maxFiles }: Limits): string {
  return `needs one directory more than the ${maxFiles} that max_files allows`;
}
