/**
 * One worker of the sessions bench: `node sessionWorker.ts DIRECTORY DATABASE COUNT [--profile]`. Makes COUNT sessions, runs all
 * of them at once, and prints what it took as JSON.
 */
import { Session } from "node:inspector/promises";
import { systemClock as clock } from "../src/clock/clock.ts";
import { Claims } from "../src/session/claims.ts";
import { runSession } from "../src/session/runSession.ts";
import { storedSessions } from "../src/session/sessions.ts";
import type { StoreAddress } from "../src/store/openStore.ts";
import { sessionGrounds } from "../test/kit/sessionGrounds.ts";
import { fleetSteps } from "../test/session/fleetSteps.ts";

export interface WorkerResult {
  /** From the first claim to the last end, ms. */
  readonly elapsed: number;
  /** Of this process, ms. */
  readonly cpu: number;
  /** Growth of the resident set at its largest, bytes. */
  readonly memory: number;
  /** Self time by place, the most first, with a profile only. */
  readonly profile: readonly { readonly place: string; readonly share: number }[];
}

const [, , directory = "", database = "", count = "1", flag] = process.argv;
const address = JSON.parse(database) as StoreAddress;
const never = new AbortController().signal;
await using grounds = await sessionGrounds({ steps: fleetSteps(() => undefined), directory, database: address });
const { surroundings } = grounds;
const { store } = surroundings;
const sessions = storedSessions(surroundings);
const ids: string[] = [];
for (let number = 0; number < Number(count); number += 50) {
  const made = Array.from({ length: Math.min(50, Number(count) - number) }, async (_, index) => {
    const { id } = await sessions.create({ question: `q-${number + index}`, queued: false }, never);
    return id;
  });
  ids.push(...(await Promise.all(made)));
}
// All workers begin together.
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));

await using claims = new Claims(surroundings);
const profiler = flag === "--profile" ? new Session() : undefined;
profiler?.connect();
await profiler?.post("Profiler.enable");
await profiler?.post("Profiler.start");
const before = process.memoryUsage.rss();
let largest = before;
const watch = setInterval(() => {
  largest = Math.max(largest, process.memoryUsage.rss());
}, 50);
const cpu = process.cpuUsage();
const began = performance.now();
await Promise.all(
  ids.map(async (id) => {
    const claim = await store.claim(id, { name: surroundings.owner, at: clock.now() });
    if (!claim) throw new Error("a session cannot be claimed");
    await using held = claims.hold(claim);
    let ended = false;
    for await (const event of runSession(claim, surroundings, { cancel: held.cancel, leave: held.lost }))
      if (event.type === "run.ended") ended = event.reason === "reported";
    if (!ended) throw new Error("a session did not end with a report");
  }),
);
const elapsed = performance.now() - began;
clearInterval(watch);
const { user, system } = process.cpuUsage(cpu);
const profile = await profiler?.post("Profiler.stop");
const result: WorkerResult = {
  elapsed,
  cpu: (user + system) / 1000,
  memory: largest - before,
  profile: profile ? places(profile.profile) : [],
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.stdin.unref();

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly url: string; readonly functionName: string };
  }[];
  readonly samples?: readonly number[] | undefined;
}

function places({ nodes, samples = [] }: Profile): WorkerResult["profile"] {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const counts = new Map<string, number>();
  for (const sample of samples) {
    const frame = byId.get(sample);
    if (!frame || frame.functionName === "(idle)") continue;
    const [, inPackage] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(frame.url) ?? [];
    const [, inSource] = /\/(src|test|bench)\/(?:[^/]+)/.exec(frame.url) ?? [];
    const [room] = /(?:src|test)\/[^/]+/.exec(frame.url) ?? [];
    const place = inPackage ?? (inSource ? room : undefined) ?? (frame.url === "" ? frame.functionName : frame.url);
    counts.set(place ?? "?", (counts.get(place ?? "?") ?? 0) + 1);
  }
  const all = [...counts.values()].reduce((sum, value) => sum + value, 0);
  return [...counts]
    .map(([place, value]) => ({ place, share: value / all }))
    .sort((a, b) => b.share - a.share)
    .slice(0, 12);
}
