import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { Report } from "../src/report/report.ts";
import { tempDir } from "./kit/tempDir.ts";

const root = join(import.meta.dirname, "..");
const incidents = join(root, "examples/checkout-incident");

/** The report of the real command over one of the recordings, as JSON, exactly as it was printed. */
async function investigated(
  recording: string,
  servers: readonly string[] = ["prometheus", "alertmanager", "otel"],
): Promise<string> {
  const sections = servers.map((server) => [server, { recording: join(incidents, recording) }]);
  await using dir = await tempDir({
    "korvus.yaml": stringify({
      mcp: { servers: Object.fromEntries(sections) },
      skills: { path: join(root, "skills") },
    }),
  });
  const args = [join(root, "src/cli/main.ts"), "investigate", "what happened?", "--since", "40s", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: dir.path, maxBuffer: 1 << 26 });
  return JSON.stringify((JSON.parse(stdout) as { report: Report }).report);
}

test.each([
  ["incident.jsonl", "likely", /^payments slowed down at .*; checkout only passes it on/],
  ["others/inventory-errors.jsonl", "likely", /^inventory began to fail at .*; checkout only passes it on/],
  ["others/checkout-latency.jsonl", "likely", /^checkout slowed down at/],
  ["others/no-fault.jsonl", "inconclusive", /^Nothing departed/],
])("%s is %s", async (recording, verdict, summary) => {
  const report = JSON.parse(await investigated(recording)) as Report;

  expect(report).toMatchObject({ verdict, claimedVerdict: verdict, summary: expect.stringMatching(summary) });
  expect(report.findings.filter(({ status }) => status === "unsupported")).toEqual([]);
  // Everything that was asked is in the recording: it was made with the skills and the runbook as they are.
  expect(report.coverage.servers.map(({ calls }) => calls.error ?? 0)).toEqual([0, 0, 0]);
});

test("the same recording gives the same report, byte for byte", async () => {
  const [first, second] = await Promise.all([investigated("incident.jsonl"), investigated("incident.jsonl")]);

  expect(first).toBe(second);
});

test.each(["prometheus", "alertmanager", "otel"])("without %s the report still comes, and says so", async (server) => {
  const others = ["prometheus", "alertmanager", "otel"].filter((other) => other !== server);

  const report = JSON.parse(await investigated("incident.jsonl", others)) as Report;

  expect(report.coverage.servers.map((covered) => covered.server)).toEqual(others.toSorted());
  expect(report.coverage.skillsDropped.map(({ mcpServer }) => mcpServer)).toContain(server);
  expect(report.summary).not.toBe("");
});
