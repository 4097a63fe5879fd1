/**
 * `npm run demo`: investigates the recorded incident in examples/checkout-incident. `npm run demo -- --live`: starts the
 * services, breaks one of them and investigates the real thing. Other arguments are those of `korvus investigate`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const root = join(import.meta.dirname, "..");
const args = process.argv.slice(2);
const live = args.includes("--live");
const rest = args.filter((arg) => arg !== "--live");
process.exitCode = live ? await liveDemo() : await recordedDemo();

async function recordedDemo(): Promise<number> {
  const config = join(root, "examples/checkout-incident/korvus.yaml");
  return await investigate(["--config", config, "--since", "40s", ...rest]);
}

async function liveDemo(): Promise<number> {
  const { installDebianPackages, installTestServers, missingParts } = await import("./testParts.ts");
  installTestServers();
  installDebianPackages();
  const { startBed } = await import("../test/bed/startBed.ts");
  const missing = missingParts().map(({ part }) => part);
  if (missing.length > 0) {
    console.error(`the live demo needs Prometheus and Alertmanager, and these are missing: ${missing.join(", ")}`);
    return 1;
  }
  console.log("starting three services under load, Prometheus, Alertmanager and autotel-mcp ...");
  await using bed = await startBed({ seed: 1 });
  const config = await bed.korvusYaml({ servers: ["prometheus", "alertmanager", "otel"] });
  const baseline = 55;
  console.log(`all is well; watching for ${baseline} s, so that there is something to compare with ...`);
  await delay(baseline * 1000);
  await bed.fault("payments", { kind: "latency", amount: 600 });
  console.log("payments is slow from now on; giving it 20 s ...\n");
  await delay(20_000);
  return await investigate(["--config", config, "--since", "30s", "--skills", join(root, "skills"), ...rest]);
}

async function investigate(options: readonly string[]): Promise<number> {
  const command = [join(root, "src/cli/main.ts"), "investigate", "checkout is slow: what happened?", ...options];
  const child: ChildProcess = spawn(process.execPath, command, { stdio: "inherit" });
  // A Ctrl-C reaches the child as well, which ends with the report so far.
  process.on("SIGINT", () => undefined);
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}
