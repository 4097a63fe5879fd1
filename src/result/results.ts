import type { Redacted } from "../redact/redact.ts";
import type { ToolResult } from "./toolResult.ts";

/** Redacted results by call number: whole for rules and evidence, in pages of text for a model. */
export interface Results {
  /** It can be read at once, and is as durable as the log: kept, at the latest, with the first event that comes after it. */
  put(call: number, result: Redacted<ToolResult>): Promise<void>;
  /** Undefined when nothing was kept for that call. */
  get(call: number): Promise<Redacted<ToolResult> | undefined>;
  page(call: number, range: PageRange): Promise<Page | undefined>;
}

/** In UTF-16 code units of the result's text. */
export interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

export interface Page {
  readonly text: string;
  readonly offset: number;
  /** Where the next page starts; absent on the last. */
  readonly next?: number;
  /** Length of the whole text. */
  readonly total: number;
}
