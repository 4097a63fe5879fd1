import { createHash } from "node:crypto";

/** Where a call goes. */
export interface ToolAddress {
  readonly server: string;
  readonly tool: string;
}

/** The names under which tools are offered to a model, with the exact way back. Attribution reads this, it never splits a name. */
export interface ToolNames {
  readonly byName: ReadonlyMap<string, ToolAddress>;
  /** Undefined for a tool that was not among those named. */
  nameOf(server: string, tool: string): string | undefined;
}

/** What every provider accepts. */
const longestName = 64;
const hashLength = 8;

/**
 * Names each tool `<server>_<tool>` in [A-Za-z0-9_-], at most 64 characters. Where that is too long, reserved, or the
 * name of another tool as well, all concerned end in a hash of server and tool instead. The same set of tools gets the
 * same names, in any order.
 */
export function toolNames(tools: readonly ToolAddress[], reserved: readonly string[]): ToolNames {
  const addresses = new Map(tools.map(({ server, tool }) => [key(server, tool), { server, tool }]));
  const taken = new Set(reserved);
  const names = new Map([...addresses].map(([id, address]) => [id, plainName(address)]));
  const unfit = (name: string, holders: number) => holders > 1 || taken.has(name) || name.length > longestName;

  // Everyone in a clash is renamed, instead of all but the first: that is what makes the order irrelevant. Hashes are
  // short enough to be forged by a tool that calls itself like another's hashed name, hence more than one attempt.
  for (let attempt = 1, settled = false; !settled; attempt++) {
    const holders = Map.groupBy(names.keys(), (id) => names.get(id) as string);
    const clashing = [...holders].filter(([name, ids]) => unfit(name, ids.length)).flatMap(([, ids]) => ids);
    for (const id of clashing) names.set(id, hashedName(addresses.get(id) as ToolAddress, attempt));
    settled = clashing.length === 0;
  }

  return {
    byName: new Map([...addresses].map(([id, address]) => [names.get(id) as string, address])),
    nameOf: (server, tool) => names.get(key(server, tool)),
  };
}

/** JSON keeps lone surrogates and separators apart. */
function key(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

function plainName({ server, tool }: ToolAddress): string {
  return `${server}_${tool}`.replace(/[^A-Za-z0-9_-]/gu, "_");
}

function hashedName(address: ToolAddress, attempt: number): string {
  const text = JSON.stringify([address.server, address.tool, attempt]);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, hashLength);
  return `${plainName(address).slice(0, longestName - hashLength - 1)}_${hash}`;
}
