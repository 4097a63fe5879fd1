/** A repository of a team, as the configuration names it. */
export interface WorkspaceSource {
  readonly name: string;
  /** URL, or absolute path of a local repository. */
  readonly repository: string;
  /** What `--workspace NAME` means without a ref; absent: the repository's own HEAD. */
  readonly ref?: string;
  /** Caps on what a session is seeded with. */
  readonly maxFiles: number;
  /** Bytes, all files together, and each by itself. */
  readonly maxBytes: number;
  readonly maxFileBytes: number;
}

/** A ref and the full commit that it stood for at one moment. */
export interface ResolvedRef {
  readonly workspace: string;
  readonly ref: string;
  /** 40 or 64 hex digits. */
  readonly commit: string;
}

/** Something of the commit's tree that is not in the scratch directory, and why, in a sentence. */
export interface LeftOut {
  /** As it stands in the tree; what is no valid UTF-8 is escaped. */
  readonly path: string;
  readonly reason: string;
}

/** The files of one commit in a directory of one session's own. Disposing removes it. */
export interface ScratchTree extends AsyncDisposable {
  readonly path: string;
  readonly commit: string;
  readonly files: number;
  readonly bytes: number;
  /** In tree order; at most 100, then one entry that says how many more. */
  readonly leftOut: readonly LeftOut[];
  /**
   * Where there is a `skills` directory and nothing under it was left out: its path. Else why its skills cannot be read.
   * `folder` false is for a commit that has none.
   */
  readonly skills: { readonly path: string } | { readonly fault: string };
}

export interface Workspaces extends AsyncDisposable {
  readonly sources: readonly WorkspaceSource[];
  /** Fetches what is new, then resolves. Rejects with `WorkspaceError`. */
  resolve(workspace: string, ref: string | undefined, signal: AbortSignal): Promise<ResolvedRef>;
  /** Seeds a fresh directory from a commit of the mirror; fetches only where the mirror lacks it. */
  seed(workspace: string, commit: string, signal: AbortSignal): Promise<ScratchTree>;
}

export type WorkspaceErrorCode =
  | "unknown-workspace"
  /** No such branch, tag or commit, or one that names no commit. */
  | "unknown-ref"
  /** The commit is not, or no longer, in the repository. */
  | "commit-gone"
  /** The repository cannot be reached or read. */
  | "unreachable"
  /** git itself is missing or too old. */
  | "no-git"
  /** The directory of mirrors cannot be used. */
  | "no-directory";

/** Match on `code`; `message` is for people and names the workspace. It never holds a password of a URL. */
export class WorkspaceError extends Error {
  override readonly name = "WorkspaceError";
  readonly code: WorkspaceErrorCode;

  constructor(code: WorkspaceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
