import { coveringOfHoles } from "../preset/covering.ts";
import type { PlannedCall, RangeRequest, ResultShape } from "../preset/preset.ts";
import { rangeCall } from "../preset/rangeCall.ts";
import type { Block } from "../query/block.ts";
import { blocksOf } from "../query/blocksOf.ts";
import { fillArguments, fillHoles } from "../query/fillHoles.ts";
import type { Filled, HoleValues } from "../query/holes.ts";
import { timeValues } from "../query/timeHoles.ts";
import type { Skill } from "../skill/skill.ts";
import { type Discovered, holeKey } from "./discovery.ts";
import type { Want } from "./gather.ts";
import { type KnownServer, offers, queryTool } from "./knownServer.ts";
import type { Periods } from "./score.ts";
import { signalOf } from "./signal.ts";

/** A block of a loaded skill and the server that it runs against. */
export interface PlacedBlock {
  readonly skill: string;
  readonly server: KnownServer;
  readonly block: Block;
}

export interface BlockOptions {
  readonly discovered: Discovered;
  readonly set: Readonly<Record<string, string>>;
  readonly periods: Periods;
  readonly now: number;
}

/** A hole is filled with so many values at most, each a call of its own. */
const mostValues = 10;

/**
 * The blocks of all skills, in catalog order, and what does not run, one sentence each. Blocks of skills without a server
 * are among the latter: nothing says where they belong.
 */
export function placeBlocks(
  skills: readonly Skill[],
  servers: readonly KnownServer[],
): { readonly blocks: readonly PlacedBlock[]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const blocks = skills.flatMap(({ name, body, mcpServer }) => {
    const { blocks, problems } = blocksOf(body);
    notes.push(...problems.map(({ line, message }) => `In a block of ${name} (line ${line}): ${message}.`));
    if (blocks.length === 0) return [];
    const server = servers.find(({ server }) => server === mcpServer);
    if (server) return blocks.map((block) => ({ skill: name, server, block }));
    const count = blocks.length === 1 ? "1 query block" : `${blocks.length} query blocks`;
    const why = mcpServer === undefined ? "which names no mcp_server" : `whose ${mcpServer} is not connected`;
    notes.push(`Not run: ${count} of ${name}, ${why}.`);
    return [];
  });
  if (blocks.length === 0) notes.push("No loaded skill holds a query for a connected server.");
  return { blocks, notes };
}

/** The calls that the blocks ask for over baseline and window, holes filled, and what cannot be asked. */
export function blockWants(
  blocks: readonly PlacedBlock[],
  options: BlockOptions,
): { readonly wants: readonly Want[]; readonly notes: readonly string[] } {
  const planned = blocks.map((placed) => wantsOf(placed, options));
  return { wants: planned.flatMap(({ wants }) => wants), notes: planned.flatMap(({ notes }) => notes) };
}

function wantsOf(placed: PlacedBlock, options: BlockOptions): { wants: readonly Want[]; notes: readonly string[] } {
  const { skill, server, block } = placed;
  const name = `${block.title} (${skill})`;
  const { missing, fillings, left } = fillingsOf(placed, options);
  if (missing.length > 0) {
    const holes = missing.map((hole) => `$${hole}`).join(", ");
    return { wants: [], notes: [`Not run: ${name}: no value for ${holes}; give one with --set.`] };
  }
  const notes = left > 0 ? [`${name} ran for ${mostValues} values; ${left} more were left out.`] : [];
  const wants = fillings.flatMap((values): readonly Want[] => {
    const call = callOf(placed, values, options);
    if ("reason" in call) {
      notes.push(`Not run: ${name}: ${call.reason}.`);
      return [];
    }
    const filled = Object.values(values);
    return [
      {
        skill,
        title: filled.length === 0 ? block.title : `${block.title} of ${filled.join(", ")}`,
        optional: block.hints.optional,
        signal: signalOf(block, block.kind === "query" ? block.text : JSON.stringify(block.arguments)),
        ask: { server: server.server, ...call },
      },
    ];
  });
  return { wants, notes };
}

function fillingsOf({ server, block }: PlacedBlock, { set, discovered }: BlockOptions) {
  const choices = block.holes.map((hole) => ({
    hole,
    values: Object.hasOwn(set, hole)
      ? [set[hole] as string]
      : (discovered.values.get(holeKey(server.server, hole)) ?? []),
  }));
  const missing = choices.filter(({ values }) => values.length === 0).map(({ hole }) => hole);
  let all: readonly HoleValues[] = [{}];
  for (const { hole, values } of choices)
    all = all.flatMap((one) => values.slice(0, 100).map((value) => ({ ...one, [hole]: value })));
  return { missing, fillings: all.slice(0, mostValues), left: Math.max(0, all.length - mostValues) };
}

type Call = PlannedCall | { readonly reason: string };

function callOf({ server, block }: PlacedBlock, values: HoleValues, { discovered, periods, now }: BlockOptions): Call {
  const { baselineFrom, from, to, step } = periods;
  const scrapeInterval = discovered.intervals.get(server.server);
  const times = (request: RangeRequest) =>
    timeValues({ ...request, ...(scrapeInterval === undefined ? {} : { scrapeInterval }) });
  const whole = { from: baselineFrom, to, step, now };
  if (block.kind === "query") {
    const found = queryTool(server, block);
    if ("reason" in found) return found;
    const filled = fillHoles(block.text, { ...times(whole), ...values });
    return filled.kind === "filled"
      ? rangeCall(found.tool, filled.value, whole, server.needed)
      : { reason: whyNot(filled) };
  }
  if (!offers(server, block.tool)) return { reason: `${server.server} offers no tool ${block.tool}` };
  const shape = server.preset?.shapes[block.tool] ?? "json";
  const request = timed.has(shape) ? whole : { ...whole, from };
  const filled = fillArguments(block.arguments, { ...times(request), ...values });
  if (filled.kind !== "filled") return { reason: whyNot(filled) };
  const holes = timeHolesIn(block);
  return { tool: block.tool, arguments: filled.value, shape, covering: coveringOfHoles(holes, request) };
}

/** Answers whose items carry their time, so that one answer can hold the baseline too; others sum up what they cover. */
const timed: ReadonlySet<ResultShape> = new Set([
  "prometheus",
  "loki",
  "grafana_loki",
  "tempo_series",
  "autotel_logs",
  "autotel_traces",
  "autotel_spans",
]);

function timeHolesIn(block: Block): readonly string[] {
  return [...JSON.stringify(block.kind === "mcp" ? block.arguments : {}).matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(
    ([, name]) => name as string,
  );
}

function whyNot(filled: Exclude<Filled<unknown>, { kind: "filled" }>): string {
  return filled.kind === "missing"
    ? `no value for ${filled.holes.map((hole) => `$${hole}`).join(", ")}`
    : `$${filled.hole}: ${filled.reason}`;
}
