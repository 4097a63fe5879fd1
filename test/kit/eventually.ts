import { setTimeout as delay } from "node:timers/promises";

/** Repeats `probe` until it gives something truthy; fails with `what` after `timeout` ms. */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  timeout = 10_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + timeout;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`still not so after ${timeout} ms: ${what}`);
    await delay(50);
  }
}
