import { LeftOutList } from "./leftOutList.ts";
import { linkTargets } from "./linkTargets.ts";
import type { Mirror } from "./mirror.ts";
import { readBlobs } from "./readBlobs.ts";
import { Budget, type Limits, type PlannedFile, SeedPart } from "./seedPlan.ts";
import { type ListingEnd, listTree, mostEntries, type TreeEntry } from "./treeListing.ts";
import { TreeWriter } from "./treeWriter.ts";
import type { LeftOut, ScratchTree } from "./workspace.ts";

export interface SeedOptions {
  /** An empty directory of our own. */
  readonly path: string;
  /** Full id. */
  readonly commit: string;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

export type Seeded = Pick<ScratchTree, "files" | "bytes" | "leftOut" | "skills">;

const skillsName = Buffer.from("skills");

/**
 * Writes the files of a commit into a directory; undefined where the mirror does not have the commit. `skills` comes first,
 * so that no other part of the tree can use up its room. The same commit and limits give the same files on every machine.
 */
export async function seedTree(mirror: Mirror, options: SeedOptions): Promise<Seeded | undefined> {
  const plan = await planTree(mirror, options);
  if (plan === undefined) return undefined;
  const { commit, limits, path, signal } = options;
  const { skills, rest } = plan;
  const budget = new Budget(limits);
  const files = [
    ...(await admitted(mirror, skills, { commit, signal, budget })),
    ...(await admitted(mirror, rest, { commit, signal, budget })),
  ];
  const writer = new TreeWriter(path, (file, reason) => {
    budget.give(file);
    (isSkills(Buffer.from(file.path)) ? skills : rest).leftOut.add(file.path, reason);
  });
  await readBlobs(mirror, files, { sink: writer, signal });
  return {
    files: budget.files,
    bytes: budget.bytes,
    leftOut: merged(skills.leftOut, rest.leftOut),
    skills: skillsOf(plan, options),
  };
}

interface Plan {
  readonly skills: SeedPart;
  readonly rest: SeedPart;
  /** Why the entries of `skills` are not all there are, as git puts it. */
  readonly broken: string | undefined;
}

async function planTree(mirror: Mirror, { commit, limits, signal }: SeedOptions): Promise<Plan | undefined> {
  let skills = new SeedPart(limits);
  const rest = new SeedPart(limits);
  let lastPath: Buffer = Buffer.alloc(0);
  const onEntry = (entry: TreeEntry) => {
    lastPath = entry.path;
    (isSkills(entry.path) ? skills : rest).add(entry);
  };
  let end = await listTree(mirror, { commit, signal, onEntry });
  if (end.kind === "no-commit") return undefined;
  note(rest.leftOut, end, Buffer.from(lastPath));
  if (end.kind !== "complete") {
    // The listing did not come as far as `skills`, or not through it.
    const again = new SeedPart(limits);
    end = await listTree(mirror, { commit, signal, under: "skills", onEntry: (entry) => again.add(entry) });
    skills = again;
  }
  return { skills, rest, broken: end.kind === "complete" ? undefined : reasonOf(end) };
}

function note(leftOut: LeftOutList, end: ListingEnd, lastPath: Buffer): void {
  if (end.kind !== "complete") leftOut.add(lastPath, `is the last that is looked at: ${reasonOf(end)}`);
}

function reasonOf(end: ListingEnd): string {
  if (end.kind === "endless") return `the tree has more than ${mostEntries} entries`;
  return end.kind === "broken" ? `git cannot read the whole tree (${end.reason})` : "the commit is gone";
}

function isSkills(path: Buffer): boolean {
  const name = skillsName.length;
  return (path.length === name || path[name] === 0x2f) && path.subarray(0, name).equals(skillsName);
}

interface AdmitOptions {
  readonly commit: string;
  readonly signal: AbortSignal;
  readonly budget: Budget;
}

/** What of a part there is room for: files in tree order, then the files that its links lead to. */
async function admitted(mirror: Mirror, part: SeedPart, { budget, ...options }: AdmitOptions): Promise<PlannedFile[]> {
  const { files, links, leftOut } = part;
  const targets =
    links.length === 0 ? new Map<string, PlannedFile | string>() : await linkTargets(mirror, links, options);
  const wanted = [...files];
  for (const [path, target] of targets) {
    if (typeof target === "string") leftOut.add(path, target);
    else wanted.push(target);
  }
  return wanted.filter((file) => {
    const problem = budget.take(file);
    if (problem !== undefined) leftOut.add(file.path, problem);
    return problem === undefined;
  });
}

function merged(...lists: readonly LeftOutList[]): readonly LeftOut[] {
  const all = new LeftOutList();
  for (const list of lists) all.addAll(list);
  return all.list();
}

/** Any fault below `skills` is one of all of it: a catalog that lacks a part is none that anybody wrote. */
function skillsOf({ skills, broken }: Plan, { path, commit }: SeedOptions): Seeded["skills"] {
  const short = commit.slice(0, 7);
  const { first, count } = skills.leftOut;
  if (first !== undefined) {
    const more = count > 1 ? `, and ${count - 1} more under skills cannot be read either` : "";
    return { fault: `${first.path} at ${short} ${first.reason}${more}` };
  }
  if (broken !== undefined) return { fault: `skills at ${short} cannot be read: ${broken}` };
  if (skills.entries === 0) return { fault: `the commit ${short} has no skills directory` };
  if (skills.files.some((file) => file.path === "skills"))
    return { fault: `skills at ${short} is a file, not a directory` };
  if (skills.links.includes("skills")) return { fault: `skills at ${short} is a link, not a directory` };
  return { path: `${path}/skills` };
}
