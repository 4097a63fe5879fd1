/** `node test/bed/start.ts [seed]`: the bed until Ctrl-C. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { startBed } from "./startBed.ts";

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => stop.abort());

console.log("starting; ready in about seven seconds");
await using bed = await startBed({ seed: Number(process.argv[2] ?? 1) });
const yaml = await bed.korvusYaml();

if (!stop.signal.aborted) {
  console.log(`
checkout      ${bed.urls.checkout}  (calls inventory and payments; load: 20 requests a second for 15 minutes)
inventory     ${bed.urls.inventory}
payments      ${bed.urls.payments}
Prometheus    ${bed.urls.prometheus}
Alertmanager  ${bed.urls.alertmanager}
autotel-mcp   ${bed.urls.otel}

${yaml}:

${await readFile(yaml, "utf8")}
A fault (latency: ms, errors: 0 to 1, memory: MiB a second, pool: connections of 10), and its end:

  curl -X PUT ${bed.urls.payments}/fault -d '{"kind":"latency","amount":600}'
  curl -X DELETE ${bed.urls.payments}/fault

Ctrl-C ends all of it.`);
  await once(stop.signal, "abort");
}
