import type { Catalog } from "../skill/catalog.ts";

/** A tool call as attribution sees it: the server that it was for, and whether it got there. */
export interface InvokedCall {
  readonly server: string;
  /** False for a call that was denied or could not be sent. */
  readonly reached: boolean;
}

/**
 * Names of the loaded skills that the calls can be credited to, in catalog order: those whose `mcpServer` is a server
 * that was actually invoked, whatever it answered. Skills without an `mcpServer` are omitted, since nothing observable
 * ties them to a call.
 */
export function skillsUsed(catalog: Pick<Catalog, "skills">, calls: readonly InvokedCall[]): readonly string[] {
  const invoked = new Set(calls.filter(({ reached }) => reached).map(({ server }) => server));
  const used = catalog.skills.filter(({ mcpServer }) => mcpServer !== undefined && invoked.has(mcpServer));
  return [...new Set(used.map(({ name }) => name))];
}
