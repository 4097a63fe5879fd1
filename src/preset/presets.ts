import { grafanaPresets } from "./grafanaPresets.ts";
import { otherPresets } from "./otherPresets.ts";
import type { PresetLanguage, QueryTool, ServerPreset } from "./preset.ts";
import { prometheusPresets } from "./prometheusPresets.ts";

/** All servers that are known, each `id` once. */
export const presets: readonly ServerPreset[] = [...prometheusPresets, ...grafanaPresets, ...otherPresets];

/**
 * What is known about a server with these tools, whatever it is called in a configuration; undefined for a stranger. Of
 * two that fit, the one with more of its known tools listed.
 */
export function presetFor(toolNames: readonly string[]): ServerPreset | undefined {
  const listed = new Set(toolNames);
  const known = ({ readOnly }: ServerPreset) => readOnly.filter((tool) => listed.has(tool)).length;
  return presets
    .filter(({ recognisedBy }) => recognisedBy.every((tool) => listed.has(tool)))
    .reduce<ServerPreset | undefined>((best, one) => (best && known(best) >= known(one) ? best : one), undefined);
}

/** The tool to put a query to, of those that the server offers; undefined where none takes it. */
export function queryToolFor(
  preset: ServerPreset,
  query: { readonly language: PresetLanguage; readonly text: string },
  toolNames: readonly string[],
): QueryTool | undefined {
  const gives = givenBy(query.language, query.text);
  return preset.queryTools.find(
    (candidate) =>
      candidate.language === query.language &&
      (candidate.gives ?? gives) === gives &&
      toolNames.includes(candidate.tool),
  );
}

/** What a query asks for, told by its form: LogQL of numbers begins with a function, TraceQL's ends in one. */
function givenBy(language: PresetLanguage, text: string): "items" | "series" {
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"|`[^`]*`/g, '""').replaceAll(/#[^\n]*/g, "");
  if (language === "logql") return bare.trim().startsWith("{") ? "items" : "series";
  if (language === "traceql")
    return /\|\s*(?:rate|\w+_over_time|compare|topk|bottomk)\s*\(/.test(bare) ? "series" : "items";
  return "series";
}
