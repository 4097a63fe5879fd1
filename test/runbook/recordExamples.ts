/**
 * `node test/runbook/recordExamples.ts [NAME...]`: records the incidents in examples/checkout-incident anew, each on a
 * bed of its own, through the shipped skills. A recording holds the calls that were made, so this is run again when the
 * skills or the runbook ask something else.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Fault } from "../bed/fault.ts";
import type { Role } from "../bed/roles.ts";
import { deploymentOf } from "./deploymentOf.ts";
import { happen } from "./incident.ts";
import { investigateWith } from "./investigateWith.ts";

const root = join(import.meta.dirname, "../..");
const directory = join(root, "examples/checkout-incident");
const names = { checkout: "checkout", inventory: "inventory", payments: "payments" };
const window = 40_000;

/** File name → what is wrong, for how long when the investigation begins. */
const examples: Readonly<Record<string, { readonly cause?: { role: Role; fault: Fault }; readonly age: number }>> = {
  "incident.jsonl": { cause: { role: "payments", fault: { kind: "latency", amount: 600 } }, age: 22_000 },
  "others/inventory-errors.jsonl": {
    cause: { role: "inventory", fault: { kind: "errors", amount: 0.4 } },
    age: 20_000,
  },
  "others/checkout-latency.jsonl": {
    cause: { role: "checkout", fault: { kind: "latency", amount: 400 } },
    age: 20_000,
  },
  "others/no-fault.jsonl": { age: 20_000 },
};

const wanted = process.argv.slice(2);
for (const [name, { cause, age }] of Object.entries(examples)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const incident = { seed: 7, names, window, age, ...(cause ? { cause } : {}) };
  await using bed = await happen(incident, AbortSignal.timeout(300_000));
  const file = await bed.korvusYaml({ servers: ["prometheus", "alertmanager", "otel"] });
  const record = join(directory, name);
  await rm(record, { force: true });
  await using deployment = await deploymentOf({ file, record, skills: join(root, "skills") });
  const { report } = await investigateWith(deployment, { since: window });
  console.log(`${name}: ${report.verdict}: ${report.summary}`);
  console.log(`  ${(await readFile(record)).byteLength} bytes`);
}
