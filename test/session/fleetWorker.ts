import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock as clock } from "../../src/clock/clock.ts";
import { pgBossQueue } from "../../src/fleet/pgBossQueue.ts";
import { startWorker } from "../../src/session/worker.ts";
import { sessionGrounds } from "../kit/sessionGrounds.ts";
import { fleetSteps } from "./fleetSteps.ts";

/**
 * A worker of a fleet as a process of its own: `node fleetWorker.ts DIRECTORY URL NAME CONCURRENCY`. Its probe server writes
 * what it does to DIRECTORY/calls.jsonl, its model what it is asked to DIRECTORY/asked.jsonl.
 */
const [, , directory = "", url = "", name = "", concurrency = "1"] = process.argv;
const steps = fleetSteps((line) => appendFileSync(join(directory, "asked.jsonl"), `${JSON.stringify(line)}\n`));
const grounds = await sessionGrounds({
  steps,
  directory,
  database: { kind: "postgres", url },
  overrides: { owner: name },
});
const queue = await pgBossQueue({ url, name: "sessions", clock, log: grounds.log });
const worker = await startWorker(queue, grounds.surroundings, Number(concurrency));
console.log("ready");
process.on("SIGTERM", () => {
  void (async () => {
    await worker.drain(500);
    await worker[Symbol.asyncDispose]();
    await queue[Symbol.asyncDispose]();
    await grounds[Symbol.asyncDispose]();
    console.log("stopped");
    process.exit(0);
  })();
});
