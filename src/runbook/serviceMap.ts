import { isJsonObject } from "../json/json.ts";
import { parseJson } from "./series.ts";

/** Who calls whom, in a service map of autotel-mcp; undefined where the text holds none. */
export function readServiceMap(text: string): readonly (readonly [caller: string, callee: string])[] | undefined {
  const value = parseJson(text);
  const data = isJsonObject(value) && isJsonObject(value["data"]) ? value["data"] : value;
  const edges = isJsonObject(data) ? data["edges"] : undefined;
  if (!Array.isArray(edges)) return undefined;
  return edges.flatMap((edge) => {
    if (!isJsonObject(edge)) return [];
    const { source, target } = edge;
    return typeof source === "string" && typeof target === "string" && source !== target ? [[source, target]] : [];
  });
}
