import type { LabelTool } from "../preset/preset.ts";
import { labelCall, rangeCall } from "../preset/rangeCall.ts";
import { scrapeCountQuery, scrapeIntervalFrom } from "../preset/scrapeInterval.ts";
import type { PlacedBlock } from "./blockPlan.ts";
import type { Conversation } from "./conversation.ts";
import type { Want } from "./gather.ts";
import { type KnownServer, offers, queryTool } from "./knownServer.ts";
import { readNames } from "./names.ts";
import type { Periods } from "./score.ts";
import { readSeries } from "./series.ts";

/** What servers know that the blocks need. */
export interface Discovered {
  /** Values by server and hole. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Between two samples, ms, by server. */
  readonly intervals: ReadonlyMap<string, number>;
}

export interface DiscoveryOptions {
  readonly periods: Periods;
  readonly now: number;
  /** Given values, by hole: nothing is discovered for these. */
  readonly set: Readonly<Record<string, string>>;
  readonly serviceLabels: readonly string[];
}

export interface Discovery {
  readonly wants: readonly Want[];
  read(conversation: Conversation): Promise<Discovered>;
}

export const holeKey = (server: string, hole: string) => `${server}\n${hole}`;

/** The calls that have to be answered before the blocks can be asked, and how their answers are read. */
export function discovery(blocks: readonly PlacedBlock[], options: DiscoveryOptions): Discovery {
  const values = blocks.flatMap((block) => valueWants(block, options));
  const intervals = blocks.flatMap((block) => intervalWant(block, options));
  return {
    wants: [...values.map(({ want }) => want), ...intervals],
    async read(conversation) {
      const found = { values: new Map<string, readonly string[]>(), intervals: new Map<string, number>() };
      for (const { key, want, label } of values) {
        const answer = await conversation.answer(want.ask);
        const names = answer?.outcome === "answered" ? namesIn(answer.text, label) : [];
        // The labels of a service are tried in order: the first that has values counts.
        if (names.length > 0 && !found.values.has(key)) found.values.set(key, names);
      }
      for (const { ask } of intervals) {
        const interval = intervalIn((await conversation.answer(ask))?.text ?? "");
        if (interval !== undefined) found.intervals.set(ask.server, interval);
      }
      return found;
    },
  };
}

function valueWants({ skill, server, block }: PlacedBlock, { set, serviceLabels }: DiscoveryOptions) {
  return block.holes
    .filter((hole) => !Object.hasOwn(set, hole))
    .flatMap((hole) => labelsOf(hole, serviceLabels).map((label) => ({ hole, label })))
    .flatMap(({ hole, label }) => {
      const tool = labelTool(server, block.kind === "query" ? block.language : undefined);
      const call = tool && labelCall(tool, label, server.needed);
      if (!call) return [];
      const want: Want = {
        skill,
        title: `values of ${label}`,
        optional: true,
        ask: { server: server.server, ...call },
      };
      return [{ key: holeKey(server.server, hole), label, want }];
    });
}

function labelTool(server: KnownServer, language: LabelTool["language"]): LabelTool | undefined {
  return server.preset?.labelTools.find(
    (known) =>
      (language === undefined || known.language === undefined || known.language === language) &&
      offers(server, known.tool) &&
      known.needs.every((argument) => server.needed[argument] !== undefined),
  );
}

/** A hole is a label of its own name; that of a service may have other names. */
function labelsOf(hole: string, serviceLabels: readonly string[]): readonly string[] {
  return serviceLabels.includes(hole) ? [hole, ...serviceLabels.slice(0, 4).filter((label) => label !== hole)] : [hole];
}

/** Names as a list, or as the values of a label in a vector of series. */
function namesIn(text: string, label: string): readonly string[] {
  const series = readSeries(text);
  if (series === undefined || series.length === 0) return readNames(text);
  return [...new Set(series.flatMap(({ labels }) => labels[label] || []))].sort();
}

/** Only where the range of a rate depends on it. */
function intervalWant(
  { skill, server, block }: PlacedBlock,
  { periods: { to }, now }: DiscoveryOptions,
): readonly Want[] {
  if (block.kind !== "query" || block.language !== "promql" || !block.text.includes("__rate_interval")) return [];
  const found = queryTool(server, { language: "promql", text: scrapeCountQuery });
  if (!("tool" in found)) return [];
  const request = { from: to - 60_000, to, step: 15_000, now };
  const call = rangeCall(found.tool, scrapeCountQuery, request, server.needed);
  return [{ skill, title: "interval of samples", optional: true, ask: { server: server.server, ...call } }];
}

function intervalIn(text: string): number | undefined {
  const counts = (readSeries(text) ?? []).flatMap(({ points }) => points.map(({ v }) => v));
  return scrapeIntervalFrom(Math.max(0, ...counts));
}
