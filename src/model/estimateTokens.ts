import { estimateTokenCount } from "tokenx";

/**
 * Roughly how many tokens `text` is, for any model. Exact tokenizers take minutes on a megabyte without spaces; this is
 * linear. Good enough to budget and to warn; use the provider's own count wherever there is one.
 */
export function estimateTokens(text: string): number {
  return estimateTokenCount(text);
}
