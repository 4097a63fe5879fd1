/** Bounded load, a process of its own: `node load.ts '<LoadConfig as JSON>'`. Ends by itself. */
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "./random.ts";

export interface LoadConfig {
  readonly url: string;
  readonly seed: number;
  /** Requests a second on average, whatever the answers take (an open loop, with random gaps). */
  readonly rate: number;
  /** Requests altogether. */
  readonly count: number;
  readonly seconds: number;
}

/** More are not begun: a service that hangs must not gather sockets without end. */
const IN_FLIGHT = 100;

const { url, seed, rate, count, seconds } = JSON.parse(process.argv[2] ?? "") as LoadConfig;
const random = seededRandom(seed, "load");
const signal = AbortSignal.timeout(seconds * 1000);
let inFlight = 0;
let due = performance.now();

for (let sent = 0; sent < count && !signal.aborted; sent += 1) {
  due += (-Math.log(1 - random.next()) * 1000) / rate;
  await delay(Math.max(0, due - performance.now()));
  if (inFlight >= IN_FLIGHT) continue;
  inFlight += 1;
  void send().finally(() => {
    inFlight -= 1;
  });
}

async function send(): Promise<void> {
  try {
    const response = await fetch(url, { method: "POST", signal });
    await response.arrayBuffer();
  } catch {
    // A request that fails is what some faults are about; the services count it.
  }
}
