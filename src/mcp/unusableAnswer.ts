import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/**
 * Stands for an answer that cannot be used, so that its call ends at once instead of at its deadline. Undefined when the
 * two ends of the line do not tell which request it answers: servers write the id first or last.
 */
export function unusableAnswer(head: string, tail: string, message: string): JSONRPCMessage | undefined {
  const found =
    /^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)/.exec(head) ??
    /"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  return found ? { jsonrpc: "2.0", id: Number(found[1]), error: { code: -32_000, message } } : undefined;
}
