import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../src/clock/clock.ts";
import { pgBossQueue } from "../../src/fleet/pgBossQueue.ts";
import { memoryLog } from "../../src/log/log.ts";

/**
 * A worker of a queue as a process of its own: `node queueWorker.ts URL LOG NAME MS`. Writes `NAME start KEY`, `NAME end KEY`
 * and `NAME abort KEY` to the file LOG; each key takes MS milliseconds.
 */
const [, , url = "", log = "", name = "", ms = "0"] = process.argv;
const queue = await pgBossQueue({ url, name: "test", clock: systemClock, log: memoryLog() });
const say = (word: string, key: string) => appendFileSync(log, `${name} ${word} ${key}\n`);
await queue.work(
  async (key, signal) => {
    say("start", key);
    await delay(Number(ms), undefined, { signal }).catch(() => undefined);
    say(signal.aborted ? "abort" : "end", key);
  },
  { concurrency: 10 },
);
console.log("ready");
