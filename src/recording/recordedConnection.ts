import { canonicalJson } from "../json/json.ts";
import { type Connection, McpError } from "../mcp/connection.ts";
import { RepeatedFailure } from "../mcp/repeatedFailure.ts";
import { resultText, type ToolResult } from "../result/toolResult.ts";
import type { RecordedCall, Recording } from "./recordingFile.ts";

/**
 * Answers as the server named `from` did in a recording: the same tool with the same arguments, whatever the order of
 * calls or of keys. Calls that were recorded several times are answered in their order, the last one from then on. A
 * call that is not there is an error that says so, never an empty result. Throws `McpError` where the recording holds no
 * listing of that server.
 */
export function recordedConnection(recording: Recording, from: string): Connection {
  const listing = recording.listings.findLast(({ server }) => server === from);
  if (!listing) throw new McpError("connect-failed", absence(recording, from));
  const answers = Map.groupBy(
    recording.calls.filter(({ server }) => server === from),
    ({ tool, arguments: args }) => callKey(tool, args),
  );
  const given = new Map<string, number>();

  return {
    info: { server: `recording of ${new Date(recording.recordedAt).toISOString()}`, protocol: "recording" },
    list: async () => listing.tools,
    async call(tool, args) {
      const key = callKey(tool, args);
      const known = answers.get(key);
      if (!known) throw new McpError("not-recorded", missing(tool, args, { recording, from }));
      const index = Math.min(given.get(key) ?? 0, known.length - 1);
      given.set(key, index + 1);
      return answered(known[index] as RecordedCall);
    },
    close: async () => undefined,
  };
}

function callKey(tool: string, args: RecordedCall["arguments"]): string {
  return `${tool} ${canonicalJson(args)}`;
}

/** The result, also one in which the tool itself reports an error. What else failed then fails again. */
function answered({ outcome, reached, result }: RecordedCall): ToolResult {
  if (outcome === "ok" || (outcome === "error" && reached)) return result;
  throw new RepeatedFailure(resultText(result), { outcome, reached });
}

function absence({ absences, listings, file }: Recording, from: string): string {
  const absent = absences.find(({ server }) => server === from);
  if (absent) return `it was not connected when ${file} was recorded: ${absent.reason}`;
  const known = [...new Set(listings.map(({ server }) => server))];
  return `${file} holds no server named ${from}; it holds ${known.length > 0 ? known.join(", ") : "none"}`;
}

function missing(
  tool: string,
  args: RecordedCall["arguments"],
  { recording, from }: { recording: Recording; from: string },
): string {
  const other = recording.calls.filter((call) => call.server === from && call.tool === tool).length;
  const hint = other === 0 ? `it holds no call of ${tool}` : `it holds ${other} calls of ${tool} with other arguments`;
  return `not in this recording: ${from} ${tool} ${canonicalJson(args)} (${hint})`;
}
