import { setTimeout as delay } from "node:timers/promises";
import type { ServerConfig } from "../config/config.ts";
import type { JsonObject } from "../json/json.ts";
import type { Redacted } from "../redact/redact.ts";
import { byUtf8 } from "./byUtf8.ts";
import { type CallAnswer, callThrough } from "./callThrough.ts";
import type { ToolDefinition } from "./connection.ts";
import { type LinkOptions, type LinkState, ServerLink } from "./serverLink.ts";
import { matchesWildcard } from "./wildcard.ts";

export interface RegistryOptions extends LinkOptions {
  readonly servers: readonly ServerConfig[];
  /** Bound on one tool call, ms; each progress notification starts it anew, up to ten times as long in all. */
  readonly callTimeout: number;
  readonly observer?: RegistryObserver;
}

/** Sees what passes, redacted; made for recordings. Must not throw. */
export interface RegistryObserver {
  /** All that the server lists, denied tools included: when it connects, and when a refresh renews the list. */
  listing(server: string, tools: readonly Redacted<ToolDefinition>[]): void;
  call(server: string, tool: string, args: Redacted<JsonObject>, outcome: CallAnswer): void;
}

export interface ServerState extends LinkState {
  readonly name: string;
  readonly transport: ServerConfig["kind"];
  /** How many tools it offers, those that the configuration denies left out. */
  readonly tools: number;
  /** Over all tools that it lists; absent when it never connected. */
  readonly fingerprint?: string;
}

export interface ServerTool {
  readonly server: string;
  readonly tool: Redacted<ToolDefinition>;
}

export interface CallRequest {
  readonly signal: AbortSignal;
  /** The tool is known to change nothing: it may be sent again when the connection breaks. */
  readonly readOnly: boolean;
}

/** How long `close` waits, ms: the servers have had their SIGKILL by then. */
const closeLimit = 900;

/**
 * All MCP servers of a configuration. What comes out of it is redacted. The tools, and which servers count as
 * connected, are settled by `start` and stay: a server that failed then is not tried again, one that is lost later is
 * connected anew by the next call.
 */
export class Registry implements AsyncDisposable {
  readonly #options: RegistryOptions;
  readonly #links: ReadonlyMap<string, ServerLink>;
  readonly #stopping = new AbortController();
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #connected: readonly string[] = Object.freeze([]);
  #tools: readonly ServerTool[] = Object.freeze([]);

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#links = new Map(options.servers.map((server) => [server.name, new ServerLink(server, options)]));
  }

  /**
   * Connects to all servers in parallel, each within `connectTimeout`. A server that fails is a state and a warning,
   * never an error. Rejects only with the signal's reason. Later calls get the first one's promise.
   */
  start(signal: AbortSignal): Promise<void> {
    this.#starting ??= this.#start(AbortSignal.any([signal, this.#stopping.signal]));
    return this.#starting;
  }

  /** Names of the servers that `start` initialised and listed, ascending by UTF-8 bytes. Losing one later changes nothing. */
  connected(): readonly string[] {
    return this.#connected;
  }

  /** How each configured server is now, in the order of `connected`. */
  states(): readonly ServerState[] {
    return this.#sorted().map((link) => ({
      name: link.config.name,
      transport: link.config.kind,
      ...link.state,
      tools: this.#tools.filter(({ server }) => server === link.config.name).length,
      ...(this.#connected.includes(link.config.name) && { fingerprint: link.listing.fingerprint }),
    }));
  }

  /** By server, then tool, ascending by UTF-8 bytes, without those that `denyTools` names. The same array until `refresh`. */
  tools(): readonly ServerTool[] {
    return this.#tools;
  }

  /** Calls a tool of `tools()`. Every failure is an outcome; throws only the signal's reason, at once when it aborts. */
  async call(server: string, tool: string, args: JsonObject, { signal, readOnly }: CallRequest): Promise<CallAnswer> {
    signal.throwIfAborted();
    const { clock, redact, callTimeout, observer } = this.#options;
    const link = this.#links.get(server);
    const offered = link?.listing.tools.has(tool) === true && !isDenied(link, tool);
    const outcome = await callThrough(
      link,
      { server, tool, args, offered, readOnly, signal, timeout: callTimeout },
      { clock, redact },
    );
    observer?.call(server, tool, redact(args), outcome);
    return outcome;
  }

  /** Between runs: takes the tool lists anew that changed, were empty, or belong to a lost server. `connected` stays. */
  async refresh(signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#stopping.signal]);
    const links = this.#sorted();
    const renewed = await Promise.all(links.map((link) => link.refresh(either)));
    this.#observe(links.filter((_, index) => renewed[index]));
    if (renewed.includes(true)) this.#freeze();
  }

  /** Ends all connections and child processes, in parallel, within a second. Does not throw; callers share one promise. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(signal: AbortSignal): Promise<void> {
    const links = this.#sorted();
    await Promise.all(links.map((link) => link.start(signal)));
    signal.throwIfAborted();
    const live = links.filter((link) => link.state.state !== "failed");
    this.#connected = Object.freeze(live.map((link) => link.config.name));
    this.#observe(live);
    this.#freeze();
  }

  async #close(): Promise<void> {
    this.#stopping.abort(new Error("the registry is closed"));
    const ended = Promise.all([...this.#links.values()].map((link) => link.close()));
    const started = this.#starting?.catch(() => undefined); // Its caller has the error.
    await Promise.race([Promise.all([ended, started]), delay(closeLimit, undefined, { ref: false })]);
  }

  #observe(links: readonly ServerLink[]): void {
    for (const { config, listing } of links) this.#options.observer?.listing(config.name, [...listing.tools.values()]);
  }

  #freeze(): void {
    const all = this.#sorted().flatMap((link) =>
      [...link.listing.tools.values()]
        .filter((tool) => !isDenied(link, tool.name))
        .map((tool) => Object.freeze({ server: link.config.name, tool })),
    );
    this.#tools = Object.freeze(all);
  }

  #sorted(): readonly ServerLink[] {
    return [...this.#links.values()].sort((a, b) => byUtf8(a.config.name, b.config.name));
  }
}

function isDenied({ config }: ServerLink, tool: string): boolean {
  return config.denyTools.some((pattern) => matchesWildcard(pattern, tool));
}
