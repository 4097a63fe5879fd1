import type { JsonObject } from "../json/json.ts";
import { coveringOf } from "./covering.ts";
import type { LabelTool, PlannedCall, QueryTool, RangeRequest, TimeFormat, TimeRange } from "./preset.ts";

/**
 * The call that asks `query` over the window, its holes filled. Pure. `needed` are the arguments that `tool.needs`
 * names. Ends and steps are whole seconds: a window within a second grows to it.
 */
export function rangeCall(tool: QueryTool, query: string, request: RangeRequest, needed: JsonObject = {}): PlannedCall {
  const { time, limit } = tool;
  return {
    tool: tool.tool,
    arguments: {
      ...tool.fixed,
      ...needed,
      ...(limit && { [limit.argument]: limit.max }),
      ...timeArguments(time, request),
      [tool.argument]: time.kind === "subquery" ? subquery(query, request) : query,
    },
    shape: tool.shape,
    covering: coveringOf(time, request),
    ...(limit && { limit: limit.max }),
  };
}

/** The call that lists the values of `label`; undefined where the tool cannot tell those of this one. */
export function labelCall(tool: LabelTool, label: string, needed: JsonObject = {}): PlannedCall | undefined {
  const { argument, written = "LABEL" } = tool;
  if (argument === undefined && !/service/i.test(label)) return undefined;
  // A name with a dot is one of traces; in a query it would end the label.
  if (written !== "LABEL" && !/^[A-Za-z_]\w*$/.test(label)) return undefined;
  return {
    tool: tool.tool,
    arguments: {
      ...tool.fixed,
      ...needed,
      ...(argument !== undefined && { [argument]: written.replaceAll("LABEL", label) }),
    },
    shape: tool.shape,
    covering: { kind: "exact" },
  };
}

/**
 * An instant query that gives the window as a matrix. The points lie at multiples of the step, so two windows of one
 * step never differ by less than one.
 */
function subquery(query: string, { from, to, step }: RangeRequest): string {
  const [start, end] = wholeSeconds({ from, to });
  // A comment at its end must not swallow the bracket.
  const expression = query.includes("#") ? `${query}\n` : query;
  return `(${expression})[${end - start}s:${stepSeconds(step)}s] @ ${end}`;
}

function timeArguments(time: TimeRange, { from, to, step, now }: RangeRequest): JsonObject {
  if (time.kind === "lookback_minutes") return { [time.argument]: Math.max(1, Math.ceil((now - from) / 60_000)) };
  if (time.kind !== "start_end") return {};
  const [start, end] = wholeSeconds({ from, to });
  const seconds = stepSeconds(step);
  return {
    [time.start]: instant(start, time.format),
    [time.end]: instant(end, time.format),
    ...(time.step && { [time.step.argument]: time.step.format === "seconds" ? seconds : `${seconds}s` }),
  };
}

function wholeSeconds({ from, to }: Pick<RangeRequest, "from" | "to">): readonly [start: number, end: number] {
  return [Math.floor(from / 1000), Math.ceil(to / 1000)];
}

function stepSeconds(step: number): number {
  return Math.max(1, Math.round(step / 1000));
}

function instant(seconds: number, format: TimeFormat): string | number {
  if (format === "iso") return new Date(seconds * 1000).toISOString();
  if (format === "unix_ms") return seconds * 1000;
  // As a text: nanoseconds are more than a double holds.
  return format === "unix_ns" ? `${seconds}000000000` : seconds;
}
