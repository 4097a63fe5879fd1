/**
 * Start of the bundled command, `korvus skills list` without servers, against a bare `node -e 0`, as whole processes:
 * `node bench/start.ts [--json]`, after `npm run build`. Medians of interleaved runs; aim: at most 1.9 times.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./median.ts";

export interface StartBench {
  readonly runs: number;
  /** Medians, ms. */
  readonly bare: number;
  readonly korvus: number;
  /** Median of the ratios of each pair of runs. */
  readonly ratio: number;
}

export function benchStart(runs = 31): StartBench {
  const directory = mkdtempSync(join(tmpdir(), "korvus-bench-"));
  for (let index = 0; index < 8; index += 1) {
    const text = `---\nname: skill-${index}\ndescription: one of eight\n---\n# Skill\n\nAsk for rates.\n`;
    writeFileSync(join(directory, `skill-${index}.md`), text);
  }
  try {
    const command = join(import.meta.dirname, "..", "bin", "korvus.js");
    const pairs: { bare: number; korvus: number }[] = [];
    for (let run = -3; run < runs; run += 1) {
      const bare = timed(["-e", "0"], directory);
      const korvus = timed([command, "skills", "list", "--skills", "."], directory);
      if (run >= 0) pairs.push({ bare, korvus });
    }
    return {
      runs,
      bare: median(pairs.map(({ bare }) => bare)),
      korvus: median(pairs.map(({ korvus }) => korvus)),
      ratio: median(pairs.map(({ bare, korvus }) => korvus / bare)),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function timed(args: readonly string[], cwd: string): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr.toString()}`);
  return performance.now() - began;
}

export function showStart({ runs, bare, korvus, ratio }: StartBench): string {
  return `node -e 0            ${bare.toFixed(1).padStart(8)} ms   median of ${runs}
korvus skills list   ${korvus.toFixed(1).padStart(8)} ms
the command takes ${ratio.toFixed(2)} times as long as bare node (aim 1.9)`;
}

if (import.meta.main) {
  const result = benchStart();
  console.log(process.argv.includes("--json") ? JSON.stringify(result) : showStart(result));
}
