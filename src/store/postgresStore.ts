import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import { type Store, StoreError } from "./store.ts";
export async function openPostgresStore(_url: string, _options: { clock: Clock; log: Log }): Promise<Store> {
  throw new StoreError("unavailable", "not yet");
}
