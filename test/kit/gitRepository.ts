import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "./tempDir.ts";

/** A real git repository in a directory of its own. */
export async function gitRepository(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const dir = await tempDir();
  const git = (...args: readonly string[]): string => gitIn(dir.path, args);
  git("init", "--quiet", "--initial-branch=main");
  git("config", "uploadpack.allowAnySHA1InWant", "true");
  const commit = (changes: Readonly<Record<string, string | Uint8Array | null>>, message = "change"): string => {
    for (const [name, content] of Object.entries(changes)) {
      const file = join(dir.path, name);
      if (content === null) rmSync(file, { recursive: true });
      else {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
    }
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "-m", message);
    return git("rev-parse", "HEAD");
  };
  commit(files, "first");
  return {
    path: dir.path,
    git,
    /** Writes files (null removes one), commits, and gives the full id. */
    commit,
    /** A commit of exactly these entries, whatever git thinks of them: `mode type id<TAB>path` as `mktree` reads them. */
    commitTree(entries: readonly string[], branch: string): string {
      const tree = gitIn(dir.path, ["mktree", "--missing"], `${entries.join("\n")}\n`);
      const made = git("commit-tree", tree, "-m", "made");
      git("update-ref", `refs/heads/${branch}`, made);
      return made;
    },
    /** The id of a blob. */
    blob: (content: string): string => gitIn(dir.path, ["hash-object", "-w", "--stdin"], content),
    /** Runs a stream of `git fast-import`. */
    fastImport: (stream: string | Uint8Array): string => gitIn(dir.path, ["fast-import", "--quiet", "--force"], stream),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

function gitIn(path: string, args: readonly string[], input: string | Uint8Array = ""): string {
  const identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com", "-c", "protocol.file.allow=always"];
  const options = { cwd: path, input, stdio: ["pipe", "pipe", "pipe"], maxBuffer: 1 << 28 } as const;
  return execFileSync("git", [...identity, ...args], { ...options, stdio: ["pipe", "pipe", "pipe"] })
    .toString()
    .trim();
}
