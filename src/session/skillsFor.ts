import type { Log } from "../log/log.ts";
import { type Catalog, CatalogError, load } from "../skill/catalog.ts";
import type { ScratchTree } from "../workspace/workspace.ts";
import { noSkillsText, readCatalogText, type SkillSet } from "./catalogText.ts";

/** The catalog that a session gets. */
export interface SessionSkills {
  readonly catalog: SkillSet & Pick<Catalog, "dropped">;
  /** Why a pinned session has none, in a sentence; absent where its skills could be read. */
  readonly noSkills?: string;
}

interface Sources {
  /** The deployment catalog, loaded once at start-up. */
  readonly deployment: Catalog;
  /** The filter of every catalog. */
  readonly connected: readonly string[];
  readonly log: Log;
}

/**
 * An unpinned session gets the deployment catalog. One that is pinned to a commit gets the skills of that commit, as they
 * stand in its own scratch directory, read with the same `load` and filtered by the same connected servers. Where they
 * cannot be read, for whatever reason, it gets no skills at all, never the deployment catalog: a prompt made from that
 * would not be the one that its workspace ref describes.
 */
export async function skillsFor(
  tree: Pick<ScratchTree, "skills" | "commit"> | undefined,
  { deployment, connected, log }: Sources,
): Promise<SessionSkills> {
  if (!tree) return { catalog: deployment };
  if ("fault" in tree.skills) return without(tree.skills.fault);
  try {
    return { catalog: await load(tree.skills.path, connected, log) };
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    return without(brokenSkills(error, tree.commit));
  }
}

function without(noSkills: string): SessionSkills {
  return { catalog: { ...readCatalogText(noSkillsText), dropped: [] }, noSkills };
}

/** `skills/loki.md at 8d1c22e is broken (invalid-yaml, line 3)`; names files as the commit does, not as this machine. */
function brokenSkills({ errors, path }: CatalogError, commit: string): string {
  const at = commit.slice(0, 7);
  if (path === "") return `skills at ${at} cannot be read: ${errors.map(({ message }) => message).join("; ")}`;
  const named = errors.map(({ file, code, line }) => `skills/${file} at ${at} is broken (${code}, line ${line})`);
  return named.join("; ");
}
