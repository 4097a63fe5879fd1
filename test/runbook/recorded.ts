import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { tempDir } from "../kit/tempDir.ts";

/** An incident that was recorded from the bed; see `recordings/README.md`. */
export interface RecordedIncident {
  readonly name: string;
  /** Names of checkout, inventory and payments. */
  readonly services: readonly [string, string, string];
  /** Absent where nothing was wrong. */
  readonly culprit?: string;
  /** ms. */
  readonly window: number;
}

export const recordedIncidents: readonly RecordedIncident[] = [
  { name: "latency-payments", services: ["wallet", "search", "ledger"], culprit: "ledger", window: 40_000 },
  { name: "errors-inventory", services: ["search", "cart", "catalog"], culprit: "cart", window: 40_000 },
  { name: "pool-checkout", services: ["cart", "catalog", "ledger"], culprit: "cart", window: 40_000 },
  {
    name: "memory-inventory",
    services: ["checkout", "inventory", "payments"],
    culprit: "inventory",
    window: 40_000,
  },
  { name: "no-fault", services: ["wallet", "search", "cart"], window: 40_000 },
];

/** A recording, unpacked into a file that goes when it is disposed. */
export async function unpacked(name: string): Promise<AsyncDisposable & { readonly file: string }> {
  const dir = await tempDir();
  const file = join(dir.path, `${name}.jsonl`);
  const packed = await readFile(join(import.meta.dirname, "recordings", `${name}.jsonl.gz`));
  await writeFile(file, gunzipSync(packed));
  return { file, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}
