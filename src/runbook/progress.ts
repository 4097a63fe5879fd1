import type { ReportClaim } from "../report/report.ts";
import { analyse, onsetOf } from "./analysis.ts";
import { askKey } from "./ask.ts";
import { blockWants, placeBlocks } from "./blockPlan.ts";
import { claimOf } from "./claim.ts";
import type { Conversation } from "./conversation.ts";
import { discovery } from "./discovery.ts";
import { traceAsks } from "./followUp.ts";
import { gather, type Want } from "./gather.ts";
import { knownServers } from "./knownServer.ts";
import type { RunbookOptions } from "./runbookModel.ts";
import { defaultServiceLabels, serviceOf } from "./serviceOf.ts";
import { stepFor } from "./stepFor.ts";

/** Where an investigation stands. */
export interface Progress {
  /** The calls of the first stage that are not all made; empty when all stages are through. */
  readonly wants: readonly Want[];
  /** What can be said with the answers so far. */
  readonly claim: () => Promise<ReportClaim>;
}

/**
 * Three stages: what the blocks need to know, the blocks, whole traces around the onset that they show. Everything
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
  const asked = await gather(blocks.wants, reading);
  const named = new Set(catalog.skills.map(({ mcpServer }) => mcpServer));
  const follow = traceAsks(
    servers.filter(({ server }) => named.has(server)),
    periods,
    onsetOf(asked),
  ).map((ask): Want => ({ ask, skill: "", title: "traces before and after", optional: false }));

  const stages = [first.wants, blocks.wants, follow];
  return {
    wants: stages.find((stage) => stage.some(({ ask }) => !conversation.made(ask))) ?? [],
    claim: async () => {
      const all = new Map([...blocks.wants, ...follow].map((want) => [askKey(want.ask), want]));
      const gathered = await gather([...all.values()], reading);
      const analysis = analyse(gathered, periods);
      const { serviceOf } = reading;
      return claimOf({ gathered, analysis, periods, serviceOf, notes: [...placed.notes, ...blocks.notes] });
    },
  };
}
