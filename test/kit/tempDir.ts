import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A fresh directory holding `files` (path relative to it → content), removed at the end of the `await using` scope. */
export async function tempDir(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const path = await mkdtemp(join(tmpdir(), "korvus-test-"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
    },
  };
}
