/**
 * The start of a session that is pinned to a commit with 1,000 skills, from a warm mirror: seed the tree and load the
 * catalog, parse included, against `git archive | tar -x` of the same tree: `node bench/seed.ts`. Aim: not slower.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock as clock } from "../src/clock/clock.ts";
import { memoryLog } from "../src/log/log.ts";
import { load } from "../src/skill/catalog.ts";
import { createWorkspaces } from "../src/workspace/createWorkspaces.ts";
import { gitRepository } from "../test/kit/gitRepository.ts";
import { tempDir } from "../test/kit/tempDir.ts";
import { median } from "./median.ts";

export interface SeedBench {
  readonly skills: number;
  readonly rounds: number;
  /** Medians, ms. */
  readonly seed: number;
  readonly load: number;
  readonly archive: number;
  /** Median of the per-round ratios of seed and load together to the archive. */
  readonly toArchive: number;
}

const skills = 1_000;
const rounds = 9;

export async function benchSeed(): Promise<SeedBench> {
  const body = "Prefer range queries for trends, and compare the window with the time before it.\n".repeat(20);
  await using repository = await gitRepository(
    Object.fromEntries(
      Array.from({ length: skills }, (_, index) => [
        `skills/skill-${String(index).padStart(4, "0")}.md`,
        `---\nname: skill-${index}\ndescription: what number ${index} is for\ntags: [a, b]\nmcp_server: prometheus\n---\n${body}`,
      ]),
    ),
  );
  await using dir = await tempDir();
  const log = memoryLog();
  const source = {
    name: "ops",
    repository: repository.path,
    maxFiles: 20_000,
    maxBytes: 2 ** 28,
    maxFileBytes: 2 ** 23,
  };
  await using workspaces = await createWorkspaces({
    sources: [source],
    directory: dir.path,
    clock,
    log,
    environment: process.env,
  });
  const { signal } = new AbortController();
  const { commit } = await workspaces.resolve("ops", "main", signal);
  const mirror = execFileSync("sh", ["-c", `ls -d ${dir.path}/mirrors/*.git`], { encoding: "utf8" }).trim();

  const times = { seed: [] as number[], load: [] as number[], archive: [] as number[], ratio: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const out = join(dir.path, `out${round}`);
    mkdirSync(out);
    const began = performance.now();
    execFileSync("sh", ["-c", `git --git-dir=${mirror} archive ${commit} | tar -x -C ${out}`]);
    const archived = performance.now();
    const tree = await workspaces.seed("ops", commit, signal);
    const seeded = performance.now();
    if ("fault" in tree.skills) throw new Error(tree.skills.fault);
    const catalog = await load(tree.skills.path, ["prometheus"], log);
    const loaded = performance.now();
    if (catalog.skills.length !== skills) throw new Error("not all skills were loaded");
    await tree[Symbol.asyncDispose]();
    rmSync(out, { recursive: true });
    // The first one warms up.
    if (round === 0) continue;
    times.archive.push(archived - began);
    times.seed.push(seeded - archived);
    times.load.push(loaded - seeded);
    times.ratio.push((loaded - archived) / (archived - began));
  }
  return {
    skills,
    rounds,
    seed: median(times.seed),
    load: median(times.load),
    archive: median(times.archive),
    toArchive: median(times.ratio),
  };
}

export function showSeed(bench: SeedBench): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  return [
    `seed: a session pinned to a commit with ${bench.skills} skills, warm mirror, ${bench.rounds} rounds`,
    `  git archive | tar -x  ${ms(bench.archive)}`,
    `  seed                  ${ms(bench.seed)}`,
    `  load, parse included  ${ms(bench.load)}`,
    `  seed and load to archive: ${bench.toArchive.toFixed(2)} (aim: at most 1)`,
  ].join("\n");
}

if (process.argv[1] === import.meta.filename) console.log(showSeed(await benchSeed()));
