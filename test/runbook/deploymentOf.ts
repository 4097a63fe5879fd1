import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Deployment, startDeployment } from "../../src/app/deployment.ts";
import { systemClock } from "../../src/clock/clock.ts";
import { loadConfig } from "../../src/config/loadConfig.ts";
import { memoryLog } from "../../src/log/log.ts";
import { ProcessGroups } from "../../src/mcp/processGroups.ts";
import { tempDir } from "../kit/tempDir.ts";

/** The skills that these tests bring along: small, and only what the bed has. */
export const bedSkills = join(import.meta.dirname, "skills");

export interface DeploymentSource {
  /** A `korvus.yaml`. */
  readonly file: string;
  /** Default: `bedSkills`. */
  readonly skills?: string;
  /** New file to record to. */
  readonly record?: string;
}

export async function deploymentOf({ file, skills = bedSkills, record }: DeploymentSource): Promise<Deployment> {
  const config = await loadConfig({ file, cwd: "/", env: {} });
  return await startDeployment(config, {
    log: memoryLog(),
    clock: systemClock,
    signal: AbortSignal.timeout(60_000),
    groups: new ProcessGroups(),
    environment: process.env,
    skills,
    ...(record === undefined ? {} : { record }),
  });
}

const servers = ["prometheus", "alertmanager", "otel"];

/** The servers of a recording as a deployment of their own; one can be down: configured, and not to be reached. */
export async function replayOf(
  recording: string,
  { down, skills }: { readonly down?: string; readonly skills?: string } = {},
): Promise<Deployment> {
  await using dir = await tempDir();
  const file = join(dir.path, "korvus.yaml");
  const sections = servers.map((server) => [server, { recording, ...(server === down ? { from: "nobody" } : {}) }]);
  await writeFile(file, stringify({ mcp: { servers: Object.fromEntries(sections) } }));
  return await deploymentOf({ file, ...(skills === undefined ? {} : { skills }) });
}
