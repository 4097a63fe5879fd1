import { join } from "node:path";
import { expect, test } from "vitest";
import { probeServer } from "../../test/kit/probeRun.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import { systemClock } from "../clock/clock.ts";
import { defaultConfig } from "../config/defaultConfig.ts";
import { memoryLog } from "../log/log.ts";
import { ProcessGroups } from "../mcp/processGroups.ts";
import { startDeployment } from "./deployment.ts";

async function started(files: Readonly<Record<string, string>>) {
  const dir = await tempDir(files);
  const log = memoryLog();
  const base = defaultConfig(dir.path);
  const servers = [
    probeServer(dir.path),
    { ...probeServer(dir.path, "broken"), command: join(dir.path, "no-such-program") },
  ];
  const secrets = [{ name: "TOKEN", value: "t0p-s3cret" }];
  const options = {
    log,
    clock: systemClock,
    signal: AbortSignal.timeout(20_000),
    groups: new ProcessGroups(),
    environment: process.env,
  };
  const deploying = startDeployment({ ...base, mcp: { ...base.mcp, servers }, secrets }, options);
  return { deploying, log, dir };
}

test("the catalog is filtered by the servers that actually connected", async () => {
  const { deploying, dir } = await started({
    "skills/probe.md": "---\nname: probe\nmcp_server: probe\n---\n",
    "skills/broken.md": "---\nname: broken\nmcp_server: broken\n---\n",
  });
  await using _dir = dir;
  await using deployment = await deploying;

  expect(deployment.catalog.skills.map(({ name }) => name)).toEqual(["probe"]);
  expect(deployment.catalog.dropped).toEqual([{ name: "broken", mcpServer: "broken", file: "broken.md" }]);
});

test("a secret in a skill is warned about, and the body stays as it was written", async () => {
  const { deploying, dir, log } = await started({ "skills/leaky.md": "---\nname: leaky\n---\nUse t0p-s3cret." });
  await using _dir = dir;
  await using deployment = await deploying;

  expect(deployment.catalog.skills[0]?.body).toBe("Use t0p-s3cret.");
  expect(log.lines).toContainEqual(expect.objectContaining({ level: "warn", skill: "leaky" }));
});

test("a broken skill file stops the start, and no server is left running", async () => {
  const { deploying, dir } = await started({ "skills/bad.md": "no header" });
  await using _dir = dir;

  await expect(deploying).rejects.toMatchObject({ code: "no-frontmatter", file: "bad.md" });
  expect(process.getActiveResourcesInfo()).not.toContain("ProcessWrap");
});
