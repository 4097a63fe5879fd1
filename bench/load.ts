/**
 * `load` over 2,000 generated skill files against only reading them, and against loaders of ten lines on other parsers:
 * `node bench/load.ts [--json]`. Medians of interleaved rounds; aims: at most 2.0 times reading, at most 0.5 times the
 * best other loader.
 */
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import matter from "gray-matter";
import { load as loadYaml5 } from "js-yaml-5";
import { parse as parseYaml } from "yaml";
import { memoryLog } from "../src/log/log.ts";
import { load } from "../src/skill/catalog.ts";
import { median } from "./median.ts";

export interface LoadBench {
  readonly files: number;
  readonly bytes: number;
  readonly rounds: number;
  /** Median and fastest of each loader, ms. */
  readonly loaders: readonly { readonly name: string; readonly median: number; readonly fastest: number }[];
  /** Median of the per-round ratios of `load` to only reading, one by one. */
  readonly toReading: number;
  /** The same to the fastest other loader over parallel reads, which is named. */
  readonly toOthers: number;
  readonly bestOther: string;
}

interface Loaded {
  readonly name: unknown;
  readonly body: string;
}

const servers = ["prometheus", "loki", "tempo"];

type Split = (text: string) => { header: unknown; body: string };
type Read = (paths: readonly string[]) => Promise<string[]>;

/** The loaders that somebody else would write: read all, split, parse, sort. `split` cuts the header out. */
function others(split: Split, read: Read = inParallel) {
  return async (path: string): Promise<Loaded[]> => {
    const texts = await read(pathsIn(path));
    return texts
      .map((text) => split(text))
      .map(
        ({ header, body }) =>
          ({ ...(header as Record<string, unknown>), body: body.trim() }) as Loaded & { mcp_server?: string },
      )
      .filter(({ mcp_server }) => mcp_server === undefined || servers.includes(mcp_server));
  };
}

function pathsIn(path: string): string[] {
  return readdirSync(path)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => join(path, name));
}

/** As one would write it. */
const inParallel: Read = (paths) => Promise.all(paths.map((path) => readFile(path, "utf8")));

/** As `load` reads: the least that reading files can take here. */
const oneByOne: Read = async (paths) => paths.map((path) => readFileSync(path, "utf8"));

function byHand(parse: (header: string) => unknown) {
  return (text: string) => {
    const [, header = "", body = ""] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? [];
    return { header: parse(header), body };
  };
}

const yaml5 = byHand((header) => loadYaml5(header));

const loaders: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  "reading, one by one": (path) => oneByOne(pathsIn(path)),
  "reading, in parallel": (path) => inParallel(pathsIn(path)),
  load: (path) => load(path, servers, memoryLog()),
  "load and digest": async (path) => (await load(path, servers, memoryLog())).digest,
  // An options object, since without one gray-matter answers from its cache.
  "gray-matter": others((text) => {
    const { data, content } = matter(text, {});
    return { header: data, body: content };
  }),
  yaml: others(byHand((header) => parseYaml(header) as unknown)),
  "js-yaml 5": others(yaml5),
  "js-yaml 5, one by one": others(yaml5, oneByOne),
};

/** What `load` is held against. */
const limit = "reading, one by one";
const peers = ["gray-matter", "yaml", "js-yaml 5"];

export async function benchLoad({ files = 2_000, rounds = 15 } = {}): Promise<LoadBench> {
  const directory = await mkdtemp(join(tmpdir(), "korvus-bench-"));
  try {
    const texts = Array.from({ length: files }, (_, index) => skillText(index));
    await Promise.all(
      texts.map((text, index) => writeFile(join(directory, `${String(index).padStart(5, "0")}.md`), text)),
    );
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return { files, bytes, rounds, ...summary(await measure(directory, rounds)) };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Each round runs every loader once, so that a slow moment of the machine hits all alike; two rounds warm up. */
async function measure(directory: string, rounds: number): Promise<Map<string, number[]>> {
  const times = new Map(Object.keys(loaders).map((name) => [name, [] as number[]]));
  for (let round = -2; round < rounds; round += 1) {
    for (const [name, loader] of Object.entries(loaders)) {
      const started = performance.now();
      await loader(directory);
      if (round >= 0) times.get(name)?.push(performance.now() - started);
    }
  }
  return times;
}

function summary(times: ReadonlyMap<string, readonly number[]>) {
  const of = (name: string) => times.get(name) ?? [];
  const loaders = [...times].map(([name, all]) => ({ name, median: median(all), fastest: Math.min(...all) }));
  const [best] = loaders.filter(({ name }) => peers.includes(name)).sort((a, b) => a.median - b.median);
  const bestOther = best?.name ?? "";
  const ratio = (other: string) => median(of("load").map((time, round) => time / (of(other)[round] ?? Number.NaN)));
  return { loaders, toReading: ratio(limit), toOthers: ratio(bestOther), bestOther };
}

/** 1 to 6 kB, as real ones: a header of four fields, prose and queries; the same for the same index. */
function skillText(index: number): string {
  const server = ["prometheus", "loki", "tempo", "kubernetes"][index % 5];
  const header = [
    `name: skill-${index}`,
    `description: Reads what service ${index} says about latency, errors and saturation`,
    ...(index % 3 === 0 ? ["tags: [metrics, latency]"] : ["tags:", "  - logs", `  - team-${index % 17}`]),
    ...(server === undefined ? [] : [`mcp_server: ${server}`]),
  ];
  const paragraph = `Prefer a range query over an instant one; start thirty minutes before the alert — not later.\n\n\`\`\`promql\nsum by (service) (rate(http_requests_total{job="api-${index}"}[5m]))\n\`\`\`\n\n`;
  const body = paragraph.repeat(5 + ((index * 7919) % 26));
  return `---\n${header.join("\n")}\n---\n# Skill ${index}\n\n${body}`;
}

export function showLoad({ files, bytes, rounds, loaders, toReading, toOthers, bestOther }: LoadBench): string {
  const rows = loaders.map(
    ({ name, median, fastest }) =>
      `${name.padEnd(22)} ${median.toFixed(1).padStart(8)} ms   fastest ${fastest.toFixed(1).padStart(7)} ms`,
  );
  return `${files} files, ${(bytes / 1e6).toFixed(1)} MB, medians of ${rounds} rounds
${rows.join("\n")}
load takes ${toReading.toFixed(2)} times as long as reading one by one, the least there is (aim 2.0),
and ${toOthers.toFixed(2)} times as long as ${bestOther} over parallel reads, the best other (aim 0.5)`;
}

if (import.meta.main) {
  const result = await benchLoad();
  console.log(process.argv.includes("--json") ? JSON.stringify(result) : showLoad(result));
}
