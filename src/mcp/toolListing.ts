import type { Redact, Redacted } from "../redact/redact.ts";
import { byUtf8 } from "./byUtf8.ts";
import type { ToolDefinition } from "./connection.ts";
import { fingerprint } from "./fingerprint.ts";

/** What a server listed, redacted. */
export interface ToolListing {
  /** By name, ascending by UTF-8 bytes. Of tools with one name the first counts. */
  readonly tools: ReadonlyMap<string, Redacted<ToolDefinition>>;
  /** Over all that the server listed. */
  readonly fingerprint: string;
  /** What the server itself calls the tool: redaction may have changed a name. */
  ownName(tool: string): string;
}

export function toolListing(definitions: readonly ToolDefinition[], redact: Redact): ToolListing {
  const all = definitions
    .map((own) => ({ own: own.name, tool: Object.freeze(redact(own)) }))
    .toSorted((a, b) => byUtf8(a.tool.name, b.tool.name));
  const distinct = all.filter(({ tool }, index) => tool.name !== all[index - 1]?.tool.name);
  const ownNames = new Map(distinct.map(({ tool, own }) => [tool.name, own]));
  return {
    tools: new Map(distinct.map(({ tool }) => [tool.name, tool])),
    fingerprint: fingerprint(all.map(({ tool }) => tool)),
    ownName: (tool) => ownNames.get(tool) ?? tool,
  };
}
