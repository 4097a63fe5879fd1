import { headRef, type Mirror } from "./mirror.ts";
import { WorkspaceError } from "./workspace.ts";

const fullId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
const shortId = /^[0-9a-f]{4,63}$/i;

/** What git allows in the name of a ref, and a length that a message can hold. */
function isRefName(ref: string): boolean {
  return (
    ref.length <= 255 &&
    /^[^\u0000-\u0020\u007f~^:?*[\\]+$/.test(ref) &&
    !/^[-/.]|\/[/.]|\.\.|@\{|\.lock(?:\/|$)|[/.]$|^@$/.test(ref) &&
    ref.isWellFormed()
  );
}

/**
 * The full commit that `ref` stands for. A full id that the mirror has is served without a fetch, also where no branch
 * leads to it any more: what was pinned by its content is that content, whatever became of the branches. Else what is new
 * is fetched first, and a fetch that fails is an error, since an old tip in silence would be a lie. Then: `HEAD`; a
 * branch; a tag, peeled; the beginning of an id. A branch wins over a tag of its name: `tags/NAME` is the tag.
 */
export async function resolveRef(mirror: Mirror, ref: string, signal: AbortSignal): Promise<string> {
  if (!isRefName(ref)) {
    throw new WorkspaceError("unknown-ref", `workspace ${mirror.name}: ${quoted(ref)} is no branch, tag or commit`);
  }
  if (fullId.test(ref)) return resolveId(mirror, ref.toLowerCase(), signal);

  await mirror.fetch(signal);
  const object = await objectOf(mirror, ref, signal);
  const found = object && (await describe(mirror, object, signal));
  if (!found || found === "missing") {
    const hint =
      ref === "HEAD" ? "the repository has no commit at its HEAD" : `there is no branch, tag or commit ${ref}`;
    throw new WorkspaceError("unknown-ref", `workspace ${mirror.name}: ${hint} in ${mirror.shown}`);
  }
  if (found === "ambiguous") {
    throw new WorkspaceError(
      "unknown-ref",
      `workspace ${mirror.name}: several objects begin with ${ref}: give more of it`,
    );
  }
  if (found === "other") throw noCommit(mirror, ref);
  return found.commit;
}

/** The commit with this full id, fetched where the mirror lacks it. */
export async function resolveId(mirror: Mirror, id: string, signal: AbortSignal): Promise<string> {
  const look = async () => (mirror.exists ? describe(mirror, id, signal) : "missing");
  let found = await look();
  if (found === "missing") {
    await mirror.fetch(signal);
    found = await look();
  }
  if (found === "missing" && (await mirror.fetchCommit(id, signal))) found = await look();
  if (found === "missing" || found === "ambiguous") {
    const message = `workspace ${mirror.name}: the commit ${id} is not, or no longer, in ${mirror.shown}`;
    throw new WorkspaceError("commit-gone", message);
  }
  if (found === "other") throw noCommit(mirror, id);
  return found.commit;
}

function noCommit(mirror: Mirror, ref: string): WorkspaceError {
  return new WorkspaceError("unknown-ref", `workspace ${mirror.name}: ${ref} is there, but no commit`);
}

/** By exact name, since git would also take `x-1-gabcdef` for the commit abcdef. */
async function objectOf(mirror: Mirror, ref: string, signal: AbortSignal): Promise<string | undefined> {
  const names = ref === "HEAD" ? [headRef] : namesOf(ref);
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", "--end-of-options", ...names];
  const { stdout } = await mirror.run(args, { signal });
  const lines = stdout.toString().split("\n");
  const of = new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)]),
  );
  const named = names.map((name) => of.get(name)).find((id) => id !== undefined);
  return named ?? (shortId.test(ref) ? ref.toLowerCase() : undefined);
}

function namesOf(ref: string): readonly string[] {
  if (/^refs\/(?:heads|tags)\//.test(ref)) return [ref];
  const asWritten = /^(?:heads|tags)\//.test(ref) ? [`refs/${ref}`] : [];
  return [`refs/heads/${ref}`, `refs/tags/${ref}`, ...asWritten];
}

type Described = { readonly commit: string } | "missing" | "ambiguous" | "other";

async function describe(mirror: Mirror, id: string, signal: AbortSignal): Promise<Described> {
  const { stdout } = await mirror.run(["cat-file", "--batch-check"], { signal, input: `${id}^{commit}\n${id}\n` });
  const [peeled = "", itself = ""] = stdout.toString().split("\n");
  const [, commit] = /^([0-9a-f]{40,64}) commit \d+$/.exec(peeled) ?? [];
  if (commit !== undefined) return { commit };
  if (peeled.endsWith(" ambiguous") || itself.endsWith(" ambiguous")) return "ambiguous";
  return /^[0-9a-f]{40,64} \w+ \d+$/.test(itself) ? "other" : "missing";
}

function quoted(ref: string): string {
  return ref === "" ? "an empty ref" : JSON.stringify(ref.length > 80 ? `${ref.slice(0, 80)}…` : ref);
}
