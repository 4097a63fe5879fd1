import type { ReportClaim } from "../report/report.ts";
import { analyse } from "./analysis.ts";
import { askKey } from "./ask.ts";
import { blockWants, placeBlocks } from "./blockPlan.ts";
import { claimOf } from "./claim.ts";
import type { Conversation } from "./conversation.ts";
import { discovery } from "./discovery.ts";
import { gather, type Want } from "./gather.ts";
import { knownServers } from "./knownServer.ts";
import { compare } from "./observation.ts";
import type { RunbookOptions } from "./runbookModel.ts";
import { defaultServiceLabels, serviceOf } from "./serviceOf.ts";
import { stepFor } from "./stepFor.ts";
import { fetchAsks, traceAsks } from "./traceAsks.ts";

/** Where an investigation stands. */
export interface Progress {
  /** The calls of the first stage that are not all made; empty when all stages are through. */
  readonly wants: readonly Want[];
  /** What can be said with the answers so far. */
  readonly claim: () => Promise<ReportClaim>;
}

/**
 * Stages: what the blocks need to know; the blocks, and samples of traces; traces that the samples only name. Everything
 * follows from the options and the answers so far, so each step works it out anew.
 */
export async function progress(options: RunbookOptions, conversation: Conversation): Promise<Progress> {
  const { catalog, window, now, set = {}, serviceLabels = defaultServiceLabels } = options;
  const periods = { ...window, step: stepFor(window.to - window.baselineFrom) };
  const reading = {
    conversation,
    periods,
    serviceOf: (labels: Readonly<Record<string, string>>) => serviceOf(labels, serviceLabels),
  };
  const servers = knownServers(options.tools, options.needed ?? new Map());
  const placed = placeBlocks(catalog.skills, servers);

  const first = discovery(placed.blocks, { periods, now, set, serviceLabels });
  const blocks = blockWants(placed.blocks, { discovered: await first.read(conversation), periods, now, set });
  const named = new Set(catalog.skills.map(({ mcpServer }) => mcpServer));
  const withSkill = servers.filter(({ server }) => named.has(server));
  const sampled = traceAsks(withSkill, periods, now);
  const fetched = await fetchAsks(withSkill, sampled, conversation);
  const traces = [...sampled, ...fetched].map(
    (ask): Want => ({ ask, skill: "", title: "samples of traces", optional: false }),
  );

  const all = [...new Map([...blocks.wants, ...traces].map((want) => [askKey(want.ask), want])).values()];
  // What is fetched is only known once the samples are there, and is then all that is left.
  const stages = [first.wants, all];
  return {
    wants: stages.find((stage) => stage.some(({ ask }) => !conversation.made(ask))) ?? [],
    claim: async () => {
      const gathered = await gather(all, reading);
      const compared = compare(gathered, periods);
      const analysis = analyse(compared);
      const { serviceOf } = reading;
      return claimOf({ compared, analysis, serviceOf, notes: [...placed.notes, ...blocks.notes] });
    },
  };
}
