import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/clock/clock.ts";
import type { HttpServer, ServerConfig, StdioServer } from "../../src/config/config.ts";
import { type LogLine, memoryLog } from "../../src/log/log.ts";
import { connectServer } from "../../src/mcp/connectServer.ts";
import { ProcessGroups } from "../../src/mcp/processGroups.ts";
import { Registry, type RegistryOptions } from "../../src/mcp/registry.ts";
import { redactor } from "../../src/redact/redact.ts";
import type { Program } from "../kit/thirdParty.ts";

export const never: AbortSignal = new AbortController().signal;
/** What a call of a tool that only reads is made with. */
export const reading: { readonly signal: AbortSignal; readonly readOnly: boolean } = { signal: never, readOnly: true };

const oddServer = fileURLToPath(new URL("oddServer.ts", import.meta.url));

export function stdio(name: string, program: Program, more: Partial<StdioServer> = {}): StdioServer {
  return { kind: "stdio", name, ...program, env: {}, cwd: process.cwd(), denyTools: [], ...more };
}

/** Our own server that misbehaves as `mode` says; see `oddServer.ts`. */
export function odd(mode: string, more: Partial<StdioServer> = {}): StdioServer {
  return stdio(mode, { command: process.execPath, args: [oddServer, mode] }, more);
}

export function http(name: string, url: string, headers: Readonly<Record<string, string>> = {}): HttpServer {
  return { kind: "http", name, url, headers, denyTools: [] };
}

export interface TestRegistry extends AsyncDisposable {
  readonly registry: Registry;
  readonly lines: readonly LogLine[];
}

/** A registry of the product's own parts, not yet started. Disposing closes it. */
export function newRegistry(servers: readonly ServerConfig[], options: Partial<RegistryOptions> = {}): TestRegistry {
  const log = memoryLog();
  const registry = new Registry({
    servers,
    connect: connectServer({
      version: "0.0.0",
      groups: new ProcessGroups(),
      environment: process.env,
      recording: () => Promise.reject(new Error("not in this test")),
    }),
    log,
    clock: systemClock,
    redact: redactor([]),
    connectTimeout: 10_000,
    callTimeout: 10_000,
    ...options,
  });
  return { registry, lines: log.lines, [Symbol.asyncDispose]: () => registry.close() };
}

/** The same, started. */
export async function withRegistry(
  servers: readonly ServerConfig[],
  options: Partial<RegistryOptions> = {},
): Promise<TestRegistry> {
  const made = newRegistry(servers, options);
  await made.registry.start(never);
  return made;
}

/** The text of a result's first block. */
export function textOf({ result }: { readonly result: { readonly content: readonly object[] } }): string {
  const block: { readonly text?: unknown } = result.content[0] ?? {};
  return String(block.text);
}
