/** `npm run generate`: the TypeScript of `proto/`, offline, into `src/wire`. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Generates into `directory`: flat, since all of it is one package. */
export function generate(directory: string): void {
  const out = mkdtempSync(join(tmpdir(), "korvus-generate-"));
  try {
    const bin = join(root, "node_modules/.bin");
    const env = { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    const { status } = spawnSync(join(bin, "buf"), ["generate", "--output", out], { cwd: root, env, stdio: "inherit" });
    if (status !== 0) throw new Error("buf generate failed");
    const files = readdirSync(join(out, "korvus/v1"));
    for (const file of files) cpSync(join(out, "korvus/v1", file), join(directory, file));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) generate(join(root, "src/wire"));
