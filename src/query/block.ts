import type { JsonObject } from "../json/json.ts";

export type QueryLanguage = "promql" | "logql" | "traceql";

/** What the numbers of a block's answer mean. `per_second` is a rate of anything that is counted. */
export type Unit = "seconds" | "milliseconds" | "ratio" | "bytes" | "per_second" | "count" | "cores";

/** Which departure from the baseline is bad: a rise, a fall, or either. */
export type Expect = "high" | "low" | "any";

/** What the info string of a fence says beside the language; nothing is required. */
export interface BlockHints {
  readonly unit?: Unit;
  readonly expect?: Expect;
  /** The backend may well not have what the block asks for: an empty answer, or an error, is not worth a word. */
  readonly optional: boolean;
}

interface BlockBase {
  /** `title="..."` of the info string, else the last line of text or the heading above it, at most 80 characters; never empty. */
  readonly title: string;
  /** Line of the opening fence in the body, from 1: line n of the block is line `line + n` of the body. */
  readonly line: number;
  /** Columns that were taken off before each line of the block. */
  readonly indent: number;
  /** Names that want a value from outside, in order of appearance, each once; those of time are not among them. */
  readonly holes: readonly string[];
  readonly hints: BlockHints;
}

/** A query in a language of its own, for the tool that takes that language. */
export interface QueryBlock extends BlockBase {
  readonly kind: "query";
  readonly language: QueryLanguage;
  /** As written, holes and all, without the last line break. */
  readonly text: string;
}

/** One tool call, written out. */
interface McpBlock extends BlockBase {
  readonly kind: "mcp";
  readonly tool: string;
  /** As written, holes in its texts; `{}` where the block has none. */
  readonly arguments: JsonObject;
}

export type Block = QueryBlock | McpBlock;

/** A block that cannot be used, or an option of it that nobody knows. Both places count from 1, in the body. */
export interface BlockProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** All runnable blocks of a body, in order, and what is wrong with the rest: nothing is dropped without a word. */
export interface Blocks {
  readonly blocks: readonly Block[];
  readonly problems: readonly BlockProblem[];
}
