import { isJsonObject, type JsonObject } from "../json/json.ts";
import { rangeCall } from "../preset/rangeCall.ts";
import { type Ask, distinct } from "./ask.ts";
import type { Conversation } from "./conversation.ts";
import { type KnownServer, offers, queryTool } from "./knownServer.ts";
import type { RunbookTool } from "./runbookTool.ts";
import type { Periods } from "./score.ts";
import { readTempoSearch } from "./tempo.ts";

/** Samples before and within the window: enough to see a change that lasts, few enough to be read in a second. */
const slices = { before: 3, within: 6 };
/** Of each slice, where a search gives whole traces. */
const tracesEach = 25;
/** Of each slice, where each trace is a call of its own. */
const fetchedEach = 3;

interface Time {
  readonly from: number;
  readonly to: number;
}

/**
 * Calls that sample traces evenly over baseline and window; what the tool gives of each slice is taken. Whole traces
 * from autotel-mcp, lists of them from Tempo. Empty where no server has such a tool.
 */
export function traceAsks(servers: readonly KnownServer[], periods: Periods, now: number): readonly Ask[] {
  const { baselineFrom, from, to, step } = periods;
  const times = [...cut({ from: baselineFrom, to: from }, slices.before), ...cut({ from, to }, slices.within)];
  return servers.flatMap((server) => {
    const whole = server.tools.find((tool) => givesTraces(server, tool));
    if (whole) return times.map((time) => wholeTraces(server.server, whole.name, time));
    const search = traceTool(server) && queryTool(server, { language: "traceql", text: everyTrace });
    if (!search || !("tool" in search)) return [];
    return times.map((time) => ({
      server: server.server,
      ...rangeCall(search.tool, everyTrace, { ...time, step, now }, server.needed),
    }));
  });
}

const everyTrace = "{ }";

/** Calls that fetch some of the traces that the lists among `asks` name. */
export async function fetchAsks(
  servers: readonly KnownServer[],
  asks: readonly Ask[],
  conversation: Conversation,
): Promise<readonly Ask[]> {
  const fetched: Ask[] = [];
  for (const ask of asks.filter(({ shape }) => shape === "tempo_search")) {
    const server = servers.find((one) => one.server === ask.server);
    const tool = server && traceTool(server);
    const answer = await conversation.answer(ask);
    if (!tool || answer?.outcome !== "answered") continue;
    const found = (readTempoSearch(answer.text) ?? []).slice(0, fetchedEach);
    for (const { id } of found) {
      fetched.push({
        server: ask.server,
        tool: tool.name,
        arguments: { ...server.needed, [tool.argument]: id },
        shape: "tempo_trace",
        covering: { kind: "exact" },
      });
    }
  }
  return distinct(fetched);
}

function cut({ from, to }: Time, count: number): readonly Time[] {
  const length = Math.floor((to - from) / count);
  if (length <= 0) return [];
  return Array.from({ length: count }, (_, index) => {
    const start = from + index * length;
    return { from: start, to: index === count - 1 ? to : start + length };
  });
}

function wholeTraces(server: string, tool: string, { from, to }: Time): Ask {
  const iso = (time: number) => new Date(time).toISOString();
  return {
    server,
    tool,
    arguments: { from: iso(from), to: iso(to), limit: tracesEach, includeSpans: true },
    shape: "autotel_traces",
    covering: { kind: "exact" },
  };
}

function givesTraces({ preset }: KnownServer, { name, inputSchema }: RunbookTool): boolean {
  if (preset?.shapes[name] !== "autotel_traces") return false;
  return ["from", "to", "limit", "includeSpans"].every((argument) => argument in propertiesOf(inputSchema));
}

/** The tool that gives one trace, and its argument for the trace's id. */
function traceTool(server: KnownServer): { readonly name: string; readonly argument: string } | undefined {
  const shapes = server.preset?.shapes ?? {};
  const name = Object.keys(shapes).find((tool) => shapes[tool] === "tempo_trace" && offers(server, tool));
  const schema = server.tools.find((tool) => tool.name === name)?.inputSchema;
  const argument = schema && Object.keys(propertiesOf(schema)).find((key) => /^trace_?id$/i.test(key));
  return name === undefined || argument === undefined ? undefined : { name, argument };
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}
