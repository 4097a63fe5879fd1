/**
 * Mutates real and hostile skill files and parses them: `node test/fuzz/skills.ts [count] [seed]`, 100,000 by default.
 * Anything but a skill or a `SkillError`, and anything that takes a second, is printed and fails.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, SkillError } from "../../src/skill/skill.ts";

export interface Finding {
  readonly seed: number;
  readonly raw: Uint8Array;
  readonly problem: string;
}

/** What the outcomes were, and the files that ended in anything else. The same seed gives the same files. */
export function fuzzSkills(count: number, seed: number) {
  const corpus = readFileSync(join(import.meta.dirname, "../conformance/parse.ndjson"), "utf8")
    .trim()
    .split("\n")
    .map((line) => Buffer.from((JSON.parse(line) as { raw_b64: string }).raw_b64, "base64"));
  const outcomes: Record<string, number> = {};
  const findings: Finding[] = [];
  for (let index = 0; index < count; index += 1) {
    const raw = mutate(corpus, randomFrom(seed + index));
    const started = performance.now();
    let outcome: string;
    try {
      parse(raw);
      outcome = "skill";
    } catch (error) {
      outcome = error instanceof SkillError ? error.code : String(error);
      if (!(error instanceof SkillError)) findings.push({ seed: seed + index, raw, problem: outcome });
    }
    if (performance.now() - started > 1_000) findings.push({ seed: seed + index, raw, problem: "slow" });
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return { outcomes, findings };
}

const snippets = [
  ..."---|\n---|\r\n|\r|\n|\t| |: |- |? |[|]|{|}|,|&a |*a|<<: |!!int |!x |!<|%YAML 1.1\n|...|'|\"|\\|\\x4|\\ud800".split(
    "|",
  ),
  ..."#| #|>-|>2|name: |tags: |mcp_server: |__proto__: |constructor: |\u{feff}|\u{85}|\u{2028}|\u{a0}|\u{0}|\u{1f600}".split(
    "|",
  ),
  "|\n  ",
].map((text) => Buffer.from(text));

type Random = (below: number) => number;

function mutate(corpus: readonly Buffer[], random: Random): Uint8Array {
  let file = corpus[random(corpus.length)] as Buffer;
  for (let edits = 1 + random(6); edits > 0; edits -= 1) {
    const at = random(file.length + 1);
    const to = Math.min(file.length, at + random(12));
    file = Buffer.concat([file.subarray(0, at), insertion(corpus, file, random), file.subarray(random(2) ? at : to)]);
  }
  return file;
}

function insertion(corpus: readonly Buffer[], file: Buffer, random: Random): Buffer {
  const kind = random(6);
  if (kind === 0) return Buffer.from([random(256)]);
  if (kind === 1) return Buffer.alloc(0);
  if (kind === 2)
    return Buffer.concat(Array<Buffer>(1 + random(300)).fill(snippets[random(snippets.length)] as Buffer));
  const source = kind === 3 ? file : (corpus[random(corpus.length)] as Buffer);
  if (kind <= 4) {
    const from = random(source.length + 1);
    return source.subarray(from, from + random(40));
  }
  return snippets[random(snippets.length)] as Buffer;
}

/** mulberry32: whole numbers from 0 up to, not including, `below`. */
function randomFrom(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

if (import.meta.main) {
  const [count = "100000", seed = "1"] = process.argv.slice(2);
  const { outcomes, findings } = fuzzSkills(Number(count), Number(seed));
  console.log(outcomes);
  for (const { seed, problem, raw } of findings)
    console.log(`seed ${seed}: ${problem}\n${JSON.stringify(raw.toString())}`);
  if (findings.length > 0) process.exitCode = 1;
}
