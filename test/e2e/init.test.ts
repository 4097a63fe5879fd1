import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/parseConfig.ts";
import { korvusPlace } from "../kit/korvus.ts";
import { needs } from "../kit/needs.ts";
import { startPrometheus } from "../kit/startPrometheus.ts";

test(
  "init writes a valid configuration for what answers, and a second time overwrites nothing",
  needs("prometheus"),
  async () => {
    await using prometheus = await startPrometheus();
    await using place = await korvusPlace(undefined);

    const first = await place.run([
      "init",
      "--yes",
      "--prometheus",
      prometheus.url,
      "--tempo",
      "http://127.0.0.1:9",
      "--model",
      "anthropic/claude-x",
    ]);
    const second = await place.run(["init", "--yes"]);

    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain(`✓ Prometheus at ${prometheus.url}`);
    expect(first.stdout).toContain("! Tempo at http://127.0.0.1:9 (does not answer)");
    const text = await readFile(join(place.path, "korvus.yaml"), "utf8");
    const config = parseConfig(text, { file: "korvus.yaml", directory: place.path, env: {} });
    expect(config.mcp.servers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "prometheus", command: "npx", env: { PROMETHEUS_URL: prometheus.url } }),
        expect.objectContaining({ name: "tempo", url: "http://127.0.0.1:9/api/mcp" }),
      ]),
    );
    expect(config.model).toMatchObject({ provider: "anthropic", name: "claude-x" });
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining("is not overwritten") });
    expect(await readFile(join(place.path, "korvus.yaml"), "utf8")).toBe(text);
  },
);

test("the shipped skills are copied, those that are there already stay, and all of them load", async () => {
  await using place = await korvusPlace(undefined, { "skills/triage.md": "---\nname: ours\n---\nOur way." });

  const made = await place.run(["init", "--yes", "--json"]);
  const listed = await place.run(["skills", "list", "--offline", "--json"]);

  expect(made.code).toBe(0);
  const { skills } = JSON.parse(made.stdout) as { skills: { copied: string[]; kept: string[] } };
  expect(skills.kept).toEqual(["triage.md"]);
  expect(skills.copied).toContain("prometheus-metrics.md");
  const names = (JSON.parse(listed.stdout) as { skills: { name: string }[] }).skills.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["ours", "prometheus-metrics"]));
});

test("an address that is none, or a model that is none, is told before anything is written", async () => {
  await using place = await korvusPlace(undefined);

  expect(await place.run(["init", "--yes", "--grafana", "localhost"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no http address"),
  });
  expect(await place.run(["init", "--yes", "--model", "x"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("expected provider/name"),
  });
  expect(await place.run(["config", "check"])).toMatchObject({ stdout: expect.stringContaining("no korvus.yaml") });
});
