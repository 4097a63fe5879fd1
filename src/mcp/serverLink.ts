import type { Clock } from "../clock/clock.ts";
import type { ServerConfig } from "../config/config.ts";
import type { JsonObject } from "../json/json.ts";
import type { Log } from "../log/log.ts";
import type { Redact, Redacted } from "../redact/redact.ts";
import type { ToolResult } from "../result/toolResult.ts";
import { type CallOptions, type Connect, type Connection, McpError } from "./connection.ts";
import { abortable, deadline } from "./deadline.ts";
import { type OpenServer, openServer } from "./openServer.ts";
import { redactedLog } from "./redactedLog.ts";
import { shortMessage } from "./shortMessage.ts";
import { type ToolListing, toolListing } from "./toolListing.ts";

export interface LinkOptions {
  readonly connect: Connect;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly log: Log;
  /** Bound on start, initialisation and listing together, ms; for a reconnect as well. */
  readonly connectTimeout: number;
}

export interface LinkState {
  /** `failed`: never connected, and stays so; `lost`: was connected, and is connected again by the next call. */
  readonly state: "connected" | "failed" | "lost";
  /** Why it is not connected. */
  readonly reason?: Redacted<string>;
  /** From the start of the server to its tool list, ms. */
  readonly connectMs: number;
  readonly info?: Redacted<Connection["info"]>;
  /** Reconnects, successful or not. */
  readonly retries: number;
}

/** One server through all its connections. Its tool list stays what it was until `refresh`. */
export class ServerLink {
  readonly config: ServerConfig;
  readonly #options: LinkOptions;
  readonly #log: Log;
  readonly #closing = new AbortController();
  readonly #farewells = new Set<Promise<void>>();
  #state: LinkState = { state: "failed", connectMs: 0, retries: 0 };
  #connection: Connection | undefined;
  #reconnecting: Promise<Connection> | undefined;
  #listing: ToolListing;
  #stale = false;

  constructor(config: ServerConfig, options: LinkOptions) {
    this.config = config;
    this.#options = options;
    this.#log = redactedLog(options.log, options.redact);
    this.#listing = toolListing([], options.redact);
  }

  get state(): LinkState {
    return this.#state;
  }

  get listing(): ToolListing {
    return this.#listing;
  }

  /** The first connection. Does not throw: a failure is a state. */
  async start(signal: AbortSignal): Promise<void> {
    const { clock, redact } = this.#options;
    const server = this.config.name;
    const began = clock.now();
    try {
      const opened = await this.#open([signal]);
      this.#listing = toolListing(opened.tools, redact);
      this.#connected(opened.connection);
      this.#state = { ...this.#state, connectMs: clock.now() - began };
      const { server: software, protocol } = opened.connection.info;
      const fields = { server, software, protocol, tools: opened.tools.length, ms: this.#state.connectMs };
      this.#log.info(fields, "MCP server connected");
    } catch (error) {
      const reason = this.#text(error);
      this.#state = { ...this.#state, reason, connectMs: clock.now() - began };
      this.#log.warn({ server, state: "failed", reason }, "MCP server is not connected");
    }
  }

  /** The live connection, made anew if it was lost; callers share one attempt. Rejects with `McpError` or the signal's reason. */
  async ready(signal: AbortSignal): Promise<Connection> {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
    if (this.#connection) return this.#connection;
    if (this.#state.state === "failed") throw new McpError("not-connected", this.#state.reason ?? "it was not started");
    this.#reconnecting ??= this.#reconnect().finally(() => {
      this.#reconnecting = undefined;
    });
    return await abortable(this.#reconnecting, signal);
  }

  /** One attempt over `connection`. Rejects with `McpError` or, at once, with the signal's reason. */
  async call(
    connection: Connection,
    request: { readonly tool: string; readonly args: JsonObject },
    options: CallOptions,
  ): Promise<Redacted<ToolResult>> {
    const calling = connection.call(this.#listing.ownName(request.tool), request.args, options);
    return this.#options.redact(await abortable(calling, options.signal));
  }

  /** `connection` is of no use any more: the next call makes a new one. */
  lost(connection: Connection, why: string): void {
    if (this.#connection !== connection || this.#closing.signal.aborted) return;
    this.#connection = undefined;
    this.#state = { ...this.#state, state: "lost", reason: shortMessage(why, this.#options.redact) };
    this.#leave(connection);
    this.#log.warn({ server: this.config.name, state: "lost", reason: why }, "connection to MCP server lost");
  }

  /** Takes the tool list anew if it changed, was empty, or the connection was lost; keeps it if that fails. True if taken. */
  async refresh(signal: AbortSignal): Promise<boolean> {
    const { state } = this.#state;
    if (state === "failed" || (state === "connected" && !this.#stale && this.#listing.tools.size > 0)) return false;
    try {
      const connection = await this.ready(signal);
      const { connectTimeout, redact } = this.#options;
      const slow = () => new McpError("timeout", `it did not list its tools within ${connectTimeout / 1000} s`);
      using limit = deadline(connectTimeout, [signal], slow);
      this.#listing = toolListing(await abortable(connection.list(limit.signal), limit.signal), redact);
      this.#stale = false;
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const fields = { server: this.config.name, reason: this.#text(error) };
      this.#log.warn(fields, "tool list of MCP server cannot be renewed, the last one stays");
      return false;
    }
  }

  /** Ends the connection and whatever is under way. Does not throw. */
  async close(): Promise<void> {
    this.#closing.abort(new McpError("not-connected", "the connections are closed"));
    if (this.#connection) this.#leave(this.#connection);
    this.#connection = undefined;
    await this.#reconnecting?.catch(() => undefined); // It leaves nothing behind when it fails.
    await Promise.all(this.#farewells);
  }

  async #reconnect(): Promise<Connection> {
    const server = this.config.name;
    this.#state = { ...this.#state, retries: this.#state.retries + 1 };
    try {
      const { connection, tools } = await this.#open([]);
      if (toolListing(tools, this.#options.redact).fingerprint !== this.#listing.fingerprint) {
        this.#stale = true;
        this.#log.warn(
          { server },
          "tools of MCP server changed while it was away: the new ones count for the next run",
        );
      }
      this.#connected(connection);
      this.#log.info({ server, retries: this.#state.retries }, "MCP server connected again");
      return connection;
    } catch (error) {
      const reason = this.#text(error);
      this.#state = { ...this.#state, reason };
      this.#log.warn({ server, state: this.#state.state, reason }, "MCP server cannot be connected again");
      throw error;
    }
  }

  async #open(signals: readonly AbortSignal[]): Promise<OpenServer> {
    const { connect, clock, connectTimeout } = this.#options;
    const own: { connection?: Connection } = {};
    const opened = await openServer(this.config, {
      connect,
      clock,
      timeout: connectTimeout,
      signal: AbortSignal.any([...signals, this.#closing.signal]),
      log: this.#log,
      onLost: (reason) => own.connection && this.lost(own.connection, reason),
      onListChanged: () => {
        if (!own.connection) return; // Not yet in use: the first list has it.
        this.#stale = true;
        this.#log.info(
          { server: this.config.name },
          "MCP server changed its tools: the new ones count for the next run",
        );
      },
    });
    own.connection = opened.connection;
    return opened;
  }

  #connected(connection: Connection): void {
    const { connectMs, retries } = this.#state;
    this.#connection = connection;
    this.#state = { state: "connected", connectMs, retries, info: this.#options.redact(connection.info) };
  }

  #leave(connection: Connection): void {
    const farewell = connection
      .close()
      .catch((error: unknown) => this.#log.warn({ server: this.config.name, error: this.#text(error) }, "close failed"))
      .finally(() => this.#farewells.delete(farewell));
    this.#farewells.add(farewell);
  }

  #text(error: unknown): Redacted<string> {
    return shortMessage(error instanceof Error ? error.message : String(error), this.#options.redact);
  }
}
