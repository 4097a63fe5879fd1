import { canonicalJson, type JsonObject } from "../json/json.ts";
import type { Covering, ResultShape } from "../preset/preset.ts";

/** A call that the runbook wants to make, and how its answer is read. */
export interface Ask {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly shape: ResultShape;
  readonly covering: Covering;
  /** An answer with this many items was probably cut. */
  readonly limit?: number;
}

/** Equal for equal calls. */
export function askKey({ server, tool, arguments: args }: Pick<Ask, "server" | "tool" | "arguments">): string {
  return `${server}\n${tool}\n${canonicalJson(args)}`;
}

/** Each call once, in order of first appearance. */
export function distinct<T extends Ask>(asks: readonly T[]): readonly T[] {
  return [...new Map(asks.map((ask) => [askKey(ask), ask] as const).reverse()).values()].reverse();
}
