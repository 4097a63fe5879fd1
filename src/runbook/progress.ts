import type { ReportClaim } from "../report/report.ts";
import { analyse } from "./analysis.ts";
import { askKey } from "./ask.ts";
import { blockWants, placeBlocks } from "./blockPlan.ts";
import { claimOf } from "./claim.ts";
import type { Conversation } from "./conversation.ts";
import { discovery } from "./discovery.ts";
import { gather, type Want } from "./gather.ts";
import { knownServers } from "./knownServer.ts";
import { type Compared, compare } from "./observation.ts";
import type { RunbookOptions } from "./runbookModel.ts";
import type { Periods } from "./score.ts";
import { defaultServiceLabels, serviceOf } from "./serviceOf.ts";
import { stepFor } from "./stepFor.ts";
import { fetchAsks, traceAsks } from "./traceAsks.ts";

/** Where an investigation stands. */
export interface Progress {
  /** Calls to be made; those that were made already may be among them. Empty when there is nothing left to ask. */
  readonly wants: readonly Want[];
  /** What can be said with the answers so far. */
  readonly claim: () => Promise<ReportClaim>;
}

/**
 * Stages: what the blocks need to know; the blocks, and samples of traces; traces that the samples only name; and where
 * there turn out to be data of a part of the time only, all of it once more for that part, finer. Everything follows
 * from the options and the answers so far, so each step works it out anew.
 */
export async function progress(options: RunbookOptions, conversation: Conversation): Promise<Progress> {
  const { catalog, window, now, set = {}, serviceLabels = defaultServiceLabels } = options;
  const asked = { ...window, step: stepFor(window.to - window.baselineFrom) };
  const named = (labels: Readonly<Record<string, string>>) => serviceOf(labels, serviceLabels);
  const servers = knownServers(options.tools, options.needed ?? new Map());
  const withSkill = servers.filter(({ server }) => catalog.skills.some(({ mcpServer }) => mcpServer === server));
  const placed = placeBlocks(catalog.skills, servers);
  const first = discovery(placed.blocks, { periods: asked, now, set, serviceLabels });
  const discovered = await first.read(conversation);

  const planFor = async (periods: Periods): Promise<Plan> => {
    const blocks = blockWants(placed.blocks, { discovered, periods, now, set });
    const sampled = traceAsks(withSkill, periods, now);
    const fetched = await fetchAsks(withSkill, sampled, conversation);
    const traces = [...sampled, ...fetched].map(
      (ask): Want => ({ ask, skill: "", title: "samples of traces", optional: false }),
    );
    const wants = [...new Map([...blocks.wants, ...traces].map((want) => [askKey(want.ask), want])).values()];
    return { periods, wants, notes: blocks.notes };
  };
  const isOpen = (wants: readonly Want[]) => wants.some(({ ask }) => !conversation.made(ask));
  const compared = async ({ periods, wants }: Plan) =>
    compare(await gather(wants, { conversation, periods, serviceOf: named }), periods);
  const claimFrom = ({ notes }: Plan, found: Compared) =>
    claimOf({ compared: found, analysis: analyse(found), serviceOf: named, notes: [...placed.notes, ...notes] });

  const plan = await planFor(asked);
  const claim = async () => claimFrom(plan, await compared(plan));
  if (isOpen(first.wants)) return { wants: first.wants, claim };
  if (isOpen(plan.wants)) return { wants: plan.wants, claim };

  const whole = await compared(plan);
  const { dataFrom, periods } = whole;
  if (dataFrom === undefined) return { wants: [], claim: async () => claimFrom(plan, whole) };
  const part = await planFor({ ...periods, step: stepFor(periods.to - periods.baselineFrom) });
  if (isOpen(part.wants)) return { wants: part.wants, claim: async () => claimFrom(plan, whole) };
  return { wants: [], claim: async () => claimFrom(part, { ...(await compared(part)), dataFrom }) };
}

/** What is asked of a time. */
interface Plan {
  readonly periods: Periods;
  readonly wants: readonly Want[];
  /** What cannot be asked, one sentence each. */
  readonly notes: readonly string[];
}
