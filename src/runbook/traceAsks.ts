import type { JsonObject } from "../json/json.ts";
import type { ServerPreset } from "../preset/preset.ts";
import type { Ask } from "./ask.ts";
import type { KnownServer } from "./knownServer.ts";
import type { RunbookTool } from "./runbookTool.ts";
import type { Periods } from "./score.ts";

/** Samples before and within the window: enough to see a change that lasts, few enough to be read in a second. */
const slices = { before: 3, within: 6 };
const tracesEach = 25;

/**
 * Calls that sample whole traces evenly over baseline and window; the newest of each slice is what the tool gives.
 * Empty where no server has such a tool.
 */
export function traceAsks(servers: readonly KnownServer[], { baselineFrom, from, to }: Periods): readonly Ask[] {
  const times = [...cut({ from: baselineFrom, to: from }, slices.before), ...cut({ from, to }, slices.within)];
  return servers.flatMap(({ server, tools, preset }) => {
    const tool = tools.find((candidate) => takesWindow(candidate, preset));
    return tool === undefined ? [] : times.map((time) => traceAsk(server, tool.name, time));
  });
}

interface Time {
  readonly from: number;
  readonly to: number;
}

function cut({ from, to }: Time, count: number): readonly Time[] {
  const length = Math.floor((to - from) / count);
  if (length <= 0) return [];
  return Array.from({ length: count }, (_, index) => {
    const start = from + index * length;
    return { from: start, to: index === count - 1 ? to : start + length };
  });
}

function traceAsk(server: string, tool: string, { from, to }: Time): Ask {
  const iso = (time: number) => new Date(time).toISOString();
  return {
    server,
    tool,
    arguments: { from: iso(from), to: iso(to), limit: tracesEach, includeSpans: true },
    shape: "autotel_traces",
    covering: { kind: "exact" },
  };
}

function takesWindow({ name, inputSchema }: RunbookTool, preset: ServerPreset | undefined): boolean {
  if (
    preset?.shapes[name] !== "autotel_traces" &&
    !preset?.queryTools.some(({ tool, shape }) => tool === name && shape === "autotel_traces")
  )
    return false;
  const properties = inputSchema["properties"] as JsonObject | undefined;
  return ["from", "to", "limit", "includeSpans"].every((argument) => properties?.[argument] !== undefined);
}
