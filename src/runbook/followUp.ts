import type { JsonObject } from "../json/json.ts";
import type { ServerPreset } from "../preset/preset.ts";
import type { Ask } from "./ask.ts";
import type { KnownServer } from "./knownServer.ts";
import type { RunbookTool } from "./runbookTool.ts";
import type { Periods } from "./score.ts";

/** Samples before and after: enough to see a change that lasts, few enough to be read in a second. */
const slices = { before: 4, after: 6 };
const tracesEach = 20;

/**
 * Calls that sample whole traces, before `onset` and from it on, evenly over time; the newest of each slice is what the
 * tool gives. Without an onset the window is held against the baseline. Empty where no server has such a tool.
 */
export function traceAsks(
  servers: readonly KnownServer[],
  periods: Periods,
  onset: number | undefined,
): readonly Ask[] {
  const { baselineFrom, from, to, step } = periods;
  // What began shortly before the first sample of a departure may have suffered already.
  const before = onset === undefined ? { from: baselineFrom, to: from } : { from: baselineFrom, to: onset - 5 * step };
  const after = { from: onset ?? from, to };
  const times = [...cut(before, slices.before), ...cut(after, slices.after)];
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
