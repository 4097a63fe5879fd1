import { closeSync, constants, mkdirSync, openSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import type { BlobSink } from "./readBlobs.ts";
import type { PlannedFile } from "./seedPlan.ts";

/** What a file system cannot do with one name; everything else that fails is a fault of the machine. */
const ofTheName: readonly string[] = ["EEXIST", "EILSEQ", "EINVAL", "EISDIR", "ENAMETOOLONG", "ENOTDIR"];

/** Only new files, never through a link. */
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes blobs below a directory of our own in which no link is ever made, so that no path leads out of it. Small files
 * are written at once: three system calls, where a thread pool takes as many trips.
 */
export class TreeWriter implements BlobSink {
  readonly #root: string;
  readonly #onLeftOut: (file: PlannedFile, reason: string) => void;
  readonly #made = new Set<string>([""]);
  #open: { readonly file: PlannedFile; readonly fd: number } | undefined;

  constructor(root: string, onLeftOut: (file: PlannedFile, reason: string) => void) {
    this.#root = root;
    this.#onLeftOut = onLeftOut;
  }

  whole(file: PlannedFile, content: Buffer): void {
    if (isLfsPointer(content))
      return this.#onLeftOut(file, "is a Git LFS pointer, and what it points to is not in git");
    this.#attempt(file, (path) => writeFileSync(path, content, { flag: flags as unknown as string, mode: 0o600 }));
  }

  begin(file: PlannedFile): void {
    this.#attempt(file, (path) => {
      this.#open = { file, fd: openSync(path, flags, 0o600) };
    });
  }

  piece(content: Buffer): void {
    for (let written = 0; this.#open && written < content.length; ) {
      written += writeSync(this.#open.fd, content, written);
    }
  }

  end(): void {
    if (this.#open) closeSync(this.#open.fd);
    this.#open = undefined;
  }

  abandon(): void {
    if (!this.#open) return;
    const { path } = this.#open.file;
    this.end();
    unlinkSync(`${this.#root}/${path}`);
  }

  unreadable(file: PlannedFile, reason: string): void {
    this.#onLeftOut(file, reason);
  }

  #attempt(file: PlannedFile, write: (path: string) => void): void {
    try {
      this.#makeDirectory(file.path.slice(0, Math.max(0, file.path.lastIndexOf("/"))));
      write(`${this.#root}/${file.path}`);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!ofTheName.includes(code)) throw error;
      this.#onLeftOut(file, `cannot be written on this file system (${code})`);
    }
  }

  /** Made by ourselves, each of them: one that is there already is none of ours. */
  #makeDirectory(directory: string): void {
    if (this.#made.has(directory)) return;
    this.#makeDirectory(directory.slice(0, Math.max(0, directory.lastIndexOf("/"))));
    mkdirSync(`${this.#root}/${directory}`, { mode: 0o700 });
    this.#made.add(directory);
  }
}

/** By the specification's own rule: shorter than 1,024 bytes, and the version first. */
function isLfsPointer(content: Buffer): boolean {
  if (content.length >= 1_024 || content.length < 60 || content[0] !== 0x76) return false;
  return /^version https?:\/\/(?:git-lfs\.github\.com|hawser\.github\.com|git-media\.io)\/[\s\S]*^oid sha256:[0-9a-f]{64}$/m.test(
    content.toString("latin1"),
  );
}
