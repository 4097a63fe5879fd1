/**
 * The same work as one worker of the sessions bench, without Korvus: `node sessionFloor.ts DIRECTORY COUNT`. Timers for the
 * model, the MCP SDK's client over stdio, rows in SQLite with one fsync for all that wait. Prints what it took as JSON.
 */
import { setMaxListeners } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { probeServer } from "../test/kit/probeRun.ts";

export interface FloorResult {
  /** ms. */
  readonly elapsed: number;
  /** Of this process, ms. */
  readonly cpu: number;
}

const [, , directory = "", count = "1"] = process.argv;
const { command, args, env } = probeServer(directory);
const client = new Client({ name: "floor", version: "0" });
// The SDK's transport listens once for each request that waits for its pipe.
setMaxListeners(0);
await client.connect(
  new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env, PATH: process.env["PATH"] ?? "" },
  }),
);

const database = new DatabaseSync(join(directory, "floor.db"));
database.exec("pragma journal_mode = wal; pragma synchronous = full");
database.exec("create table rows (session integer, seq integer, body text, primary key (session, seq)) strict");
const insert = database.prepare("insert into rows values (?, ?, ?)");

let waiting: { row: readonly [number, number, string]; done: () => void }[] = [];
let writing = false;

/** Resolves when the row is durable. */
function keep(session: number, seq: number, body: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push({ row: [session, seq, body], done: resolve });
  if (!writing) void writeAll();
  return promise;
}

async function writeAll(): Promise<void> {
  writing = true;
  while (waiting.length > 0) {
    await nextTurn();
    const batch = waiting;
    waiting = [];
    database.exec("begin immediate");
    for (const { row } of batch) insert.run(...row);
    database.exec("commit");
    for (const { done } of batch) done();
  }
  writing = false;
}

/** One row for each time that a session has to wait for what it wrote. */
async function session(number: number): Promise<void> {
  let seq = 0;
  await keep(number, ++seq, JSON.stringify({ started: number }));
  for (let step = 0; step < 5; step++) {
    await delay(200);
    await keep(number, ++seq, JSON.stringify({ step }));
    if (step > 1) continue;
    const call = step === 0 ? { name: "echo", arguments: { text: "q" } } : { name: "write", arguments: { value: "q" } };
    const result = await client.callTool(call);
    await keep(number, ++seq, JSON.stringify(result));
  }
}

// Both see it before they are measured.
await session(-1);
const cpu = process.cpuUsage();
const began = performance.now();
await Promise.all(Array.from({ length: Number(count) }, (_, number) => session(number)));
const elapsed = performance.now() - began;
const { user, system } = process.cpuUsage(cpu);
const result: FloorResult = { elapsed, cpu: (user + system) / 1000 };
process.stdout.write(`${JSON.stringify(result)}\n`);
await client.close();
