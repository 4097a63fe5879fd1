import { describe, expect, test } from "vitest";
import { verdicts } from "../../src/report/report.ts";
import { replayOf } from "./deploymentOf.ts";
import { firstSuspect, investigateWith } from "./investigateWith.ts";
import { type RecordedIncident, recordedIncidents, unpacked } from "./recorded.ts";

async function reportOn({ name, window }: RecordedIncident, down?: string) {
  await using recording = await unpacked(name);
  await using deployment = await replayOf(recording.file, down === undefined ? {} : { down });
  const { report } = await investigateWith(deployment, { since: window });
  return report;
}

describe.each(recordedIncidents)("$name, recorded from the bed", (incident) => {
  const { culprit, services } = incident;

  test("the culprit comes first, every finding is supported, and nothing is called confirmed", async () => {
    const report = await reportOn(incident);

    expect(firstSuspect(report, services)).toBe(culprit);
    expect(report.verdict).toBe(culprit === undefined ? "inconclusive" : "likely");
    expect(report.findings.map(({ problems }) => problems.join())).toEqual(report.findings.map(() => ""));
    expect(report.skillsUsed).toEqual(["bed-alerts", "bed-traces", "bed-metrics"]);
  });

  test("the same recording gives the same report, byte for byte", async () => {
    const [one, other] = [await reportOn(incident), await reportOn(incident)];

    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  test.each(["prometheus", "alertmanager", "otel"])("without %s the report comes, and claims no more", async (down) => {
    const whole = await reportOn(incident);

    const report = await reportOn(incident, down);

    expect(verdicts.indexOf(report.verdict)).toBeLessThanOrEqual(verdicts.indexOf(whole.verdict));
    expect(report.findings.every(({ evidence }) => evidence.every(({ server }) => server !== down))).toBe(true);
    expect(report.coverage.servers.find(({ server }) => server === down)?.state).toBe("not connected");
    expect(report.coverage.skillsDropped.map(({ mcpServer }) => mcpServer)).toEqual([down]);
  });
});

test("without traces, a culprit and its caller are a tie, and that is said", async () => {
  const [incident] = recordedIncidents as [RecordedIncident];

  const report = await reportOn(incident, "otel");

  expect(report.verdict).toBe("inconclusive");
  expect(report.summary).toContain("cannot be told apart");
});
