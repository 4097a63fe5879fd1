import type { JsonObject } from "../json/json.ts";
import type { QueryLanguage } from "./block.ts";

/** Values by the name of their hole, without the `$`. */
export type HoleValues = Readonly<Record<string, string | number>>;

/** The times that a block can ask for, ms since the epoch; `step` in ms. */
export interface HoleTimes {
  readonly from: number;
  readonly to: number;
  readonly now: number;
  readonly step: number;
}

export type Filled<T> =
  | { readonly kind: "filled"; readonly value: T }
  /** Holes without a value, in order of appearance. */
  | { readonly kind: "missing"; readonly holes: readonly string[] };

export type FillHoles = (language: QueryLanguage, text: string, values: HoleValues) => Filled<string>;
export type FillArguments = (args: JsonObject, values: HoleValues) => Filled<JsonObject>;
export type TimeValues = (times: HoleTimes) => HoleValues;
