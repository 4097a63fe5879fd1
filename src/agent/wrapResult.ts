import type { CallOutcome } from "../report/callOutcome.ts";

export interface WrapOptions {
  /** The run's random id. */
  readonly delimiter: string;
  readonly call: number;
  readonly server: string;
  readonly tool: string;
  readonly outcome: CallOutcome;
}

/** A piece of a result's text. */
export interface Piece {
  readonly text: string;
  readonly offset: number;
  readonly next?: number;
  readonly total: number;
}

/**
 * A result as the model reads it: between tags that carry the run's random id, the call's number and its server. Text
 * that looks like such a tag is defused, so that a backend cannot end its own quotation. A cut names where to read on.
 */
export function wrapResult({ text, offset, next, total }: Piece, options: WrapOptions): string {
  const { delimiter, call, server, tool, outcome } = options;
  const part = offset === 0 && next === undefined ? "" : ` characters="${offset}-${offset + text.length} of ${total}"`;
  const more = next === undefined ? "" : `\n[cut here: read on with read_result, call ${call}, offset ${next}]`;
  const attributes = `call="${call}" server="${quoted(server)}" tool="${quoted(tool)}" outcome="${outcome}"${part}`;
  return `<result-${delimiter} ${attributes}>\n${defused(text, delimiter)}\n</result-${delimiter}>${more}`;
}

function defused(text: string, delimiter: string): string {
  // The id alone is replaced too: a server that echoes arguments could have been fed it by a misled model.
  return text.replace(/<(?=\s*\/?\s*result-)/gi, "&lt;").replaceAll(delimiter, "[id removed]");
}

function quoted(text: string): string {
  return text.replace(/["<>\n\r]/g, "_");
}
