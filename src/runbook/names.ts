import { isJsonObject, type Json } from "../json/json.ts";
import { parseJson, resultArray } from "./series.ts";

/** The names that an answer lists, at whatever depth they are wrapped; none where it lists none. */
export function readNames(text: string): readonly string[] {
  const value = parseJson(text);
  const list = namesIn(value) ?? resultArray(value) ?? [];
  const names = list.flatMap((item) => {
    if (typeof item === "string") return [item];
    return isJsonObject(item) && typeof item["name"] === "string" ? [item["name"]] : [];
  });
  return [...new Set(names)].sort();
}

function namesIn(value: Json | undefined): readonly Json[] | undefined {
  if (!isJsonObject(value)) return undefined;
  for (const item of Object.values(value)) {
    if (Array.isArray(item)) return item as readonly Json[];
    const found = namesIn(item);
    if (found) return found;
  }
  return undefined;
}
