import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { StdioServer } from "../config/config.ts";
import { childEnvironment } from "./childEnvironment.ts";
import { McpError } from "./connection.ts";
import { type Line, LineReader } from "./lineReader.ts";
import { OutputTail } from "./outputTail.ts";
import type { ProcessGroups } from "./processGroups.ts";
import { spawnFailure } from "./spawnFailure.ts";
import { unusableAnswer } from "./unusableAnswer.ts";

/** A longer line is dropped, and the call that it answers fails, bytes. */
const longestLine = 32 * 1024 * 1024;
/** How long the last words of a child that has exited are waited for, ms. */
const drain = 100;
/** Faulty lines that are reported one by one; a flood of them is not. */
const reportedFaults = 5;

export interface StdioParts {
  readonly groups: ProcessGroups;
  /** Our own environment; see `childEnvironment` for what of it the child gets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * MCP over the standard streams of a child process. Unlike the SDK's: the child is started once, leads a process group
 * that dies with it, sees a clean environment, and the end of its stderr is kept for error messages.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /** The SDK takes a transport for stdio, where silence means an old server, when it has `stderr` and `pid`. */
  readonly stderr = null;
  /** How the child ended, if it did so by itself: `exited with code 1`. */
  exit: string | undefined;

  readonly #server: StdioServer;
  readonly #parts: StdioParts;
  readonly #stdout = new LineReader(longestLine);
  readonly #stderr = new OutputTail(8 * 1024);
  readonly #exited = Promise.withResolvers<void>();
  #child: ChildProcessWithoutNullStreams | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;
  #faults = 0;

  constructor(server: StdioServer, parts: StdioParts) {
    this.#server = server;
    this.#parts = parts;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** The last lines that the child wrote to stderr; empty when it wrote none. */
  get lastWords(): string {
    return this.#stderr.lines(5);
  }

  async start(): Promise<void> {
    const { command, args, cwd, env } = this.#server;
    try {
      const child = spawn(command, args, {
        cwd,
        env: childEnvironment(this.#parts.environment, env),
        detached: true,
        stdio: "pipe",
        windowsHide: true,
      });
      this.#child = child;
      if (child.pid !== undefined) this.#parts.groups.add(child.pid);
      await this.#attach(child);
    } catch (error) {
      throw await spawnFailure(this.#server, error as NodeJS.ErrnoException);
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (!child || this.#closed || this.exit !== undefined) {
      throw new McpError("not-connected", `the server is not running${this.exit ? `: it ${this.exit}` : ""}`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    try {
      await promise;
    } catch (error) {
      // A broken pipe is often known before the exit that explains it.
      await Promise.race([this.#exited.promise, delay(drain, undefined, { ref: false })]);
      const why = this.exit ?? `does not read its input: ${(error as Error).message}`;
      throw new McpError("lost", `the server ${why}`, { cause: error });
    }
  }

  /** Ends the whole process group within 600 ms. Does not throw; concurrent callers share one promise. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#announce();
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin.end();
    await this.#parts.groups.end(child.pid);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }

  #attach(child: ChildProcessWithoutNullStreams): Promise<void> {
    const { promise: started, resolve, reject } = Promise.withResolvers<void>();
    const { promise: drained, resolve: onDrained } = Promise.withResolvers<void>();
    child.on("spawn", resolve);
    child.on("error", reject);
    child.on("close", () => onDrained());
    // Nothing can be answered any more, whether the child lives on or is about to exit.
    child.stdout.on("end", () => {
      void delay(drain, undefined, { ref: false }).then(() => {
        if (!this.#closing) this.exit ??= "closed its output";
        return this.close();
      });
    });
    child.on("exit", (code, signal) => {
      if (!this.#closing) this.exit = signal ? `was ended by ${signal}` : `exited with code ${code}`;
      this.#exited.resolve();
      // What the child left behind goes at once, but a last answer may still be in the pipe.
      if (child.pid !== undefined) void this.#parts.groups.end(child.pid);
      void Promise.race([drained, delay(drain, undefined, { ref: false })]).then(() => this.close());
    });
    // A child that is gone or does not read: the write's own callback reports it.
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (chunk: Buffer) => {
      for (const line of this.#stdout.push(chunk)) this.#receive(line);
    });
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    return started;
  }

  #receive(line: Line): void {
    if (this.#closed) return;
    if (line.kind === "oversized") {
      this.#fault(`a line of ${line.bytes} bytes on stdout was dropped`);
      const reason = `the answer has ${line.bytes} bytes, more than the ${longestLine} that are read; ask for less`;
      this.#refuse(line.head, line.tail, reason);
      return;
    }
    if (line.text.trim() === "") return;
    try {
      this.onmessage?.(deserializeMessage(line.text));
    } catch (error) {
      this.#fault(`not an MCP message on stdout: ${line.text}`, error);
      this.#refuse(line.text.slice(0, 256), line.text.slice(-256), "the answer is not a valid MCP message");
    }
  }

  #refuse(head: string, tail: string, reason: string): void {
    const refusal = unusableAnswer(head, tail, reason);
    if (refusal) this.onmessage?.(refusal);
  }

  #fault(message: string, cause?: unknown): void {
    this.#faults++;
    if (this.#faults > reportedFaults) return;
    const last = this.#faults === reportedFaults ? " (further ones are not reported)" : "";
    this.onerror?.(new McpError("protocol", message + last, { cause }));
  }

  #announce(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}
