import { createHash } from "node:crypto";
import { estimateTokens } from "../model/estimateTokens.ts";

/** A system prompt with what a run says of it. */
export interface Prompt {
  readonly text: string;
  /** SHA-256 of its UTF-8 bytes, hex. */
  readonly digest: string;
  /** Estimated. */
  readonly tokens: number;
}

/** To be made once for all runs that share the text: it is read from one end to the other. */
export function promptOf(text: string): Prompt {
  return { text, digest: createHash("sha256").update(text).digest("hex"), tokens: estimateTokens(text) };
}
