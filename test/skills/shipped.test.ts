import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { estimateTokenCount } from "tokenx";
import { describe, expect, test } from "vitest";
import { memoryLog } from "../../src/log/log.ts";
import { presets } from "../../src/preset/presets.ts";
import { blocksOf } from "../../src/query/blocksOf.ts";
import { checkQuery } from "../../src/query/checkQuery.ts";
import { load } from "../../src/skill/catalog.ts";
import { servers, shippedBlocks, shippedSkills, skillsPath } from "./shipped.ts";

const all = await shippedSkills();

test("eight skills ship: one for each server, and two for everybody", async () => {
  const generic = await load(skillsPath, [], memoryLog());

  expect(all.map(({ name }) => name)).toEqual([
    "alertmanager-alerts",
    "findings",
    "kubernetes-workloads",
    "loki-logs",
    "otel-traces",
    "prometheus-metrics",
    "tempo-traces",
    "triage",
  ]);
  expect(generic.skills.map(({ name }) => name)).toEqual(["findings", "triage"]);
  expect(JSON.parse(readFileSync(join(skillsPath, "../package.json"), "utf8"))).toMatchObject({
    files: expect.arrayContaining(["skills"]),
  });
});

describe.each(all.map((skill) => [skill.name, skill] as const))("%s", (_, skill) => {
  const { blocks, problems } = blocksOf(skill.body);

  test("is short, described, and names no service of anybody", () => {
    expect(estimateTokenCount(skill.body)).toBeLessThan(800);
    expect(skill.description).not.toBe("");
    expect(skill.body).not.toMatch(/\b(checkout|payments?|inventory|billing|cart)\b/i);
  });

  test("holds blocks that run as they stand, each with a title of its own", () => {
    const titles = blocks.map(({ title }) => title);

    expect(problems).toEqual([]);
    expect(new Set(titles).size).toBe(titles.length);
    expect(blocks.flatMap(({ holes }) => holes)).toEqual([]);
    expect(blocks.length > 0).toBe(skill.mcpServer !== undefined);
  });

  test("has nothing that its languages' grammars refuse", async () => {
    for (const block of blocks) {
      if (block.kind === "query")
        expect([block.title, await checkQuery(block.language, block.text)]).toEqual([block.title, []]);
    }
  });

  test("calls only tools that its server is known to read with", () => {
    const preset = presets.find(({ id }) => id === servers[skill.mcpServer as keyof typeof servers]);
    const called = blocks.flatMap((block) => (block.kind === "mcp" ? [block.tool] : []));

    expect(preset?.readOnly ?? []).toEqual(expect.arrayContaining(called));
  });
});

interface Recorded {
  readonly request: { readonly path: string; readonly query?: Readonly<Record<string, string>> };
  readonly status: number;
  readonly body: string;
}

const fixtures = join(import.meta.dirname, "../fixtures/loki-tempo");
const recorded = (name: string) => JSON.parse(readFileSync(join(fixtures, `${name}.json`), "utf8")) as Recorded;
const queriesOf = async (server: "loki" | "tempo") =>
  (await shippedBlocks(server)).flatMap((block) => (block.kind === "query" ? [block.text] : []));

describe("held against what Loki and Tempo once answered", () => {
  test("the grammars judge queries as the backends did", async () => {
    const judged = readdirSync(fixtures).flatMap((file) => {
      const { request, status, body } = recorded(file.replace(/\.json$/, ""));
      const isLoki = request.path.includes("/query");
      const text = isLoki ? request.query?.["query"] : request.query?.["q"];
      return text === undefined ? [] : [{ text, language: isLoki ? "logql" : "traceql", status, body } as const];
    });
    expect(judged.length).toBeGreaterThan(9);

    for (const { text, language, status, body } of judged) {
      const problems = await checkQuery(language, text);
      expect([text, problems.length > 0]).toEqual([text, status === 400 && /syntax error/.test(body)]);
    }
  });

  test("LogQL selects and groups by labels that Loki has", async () => {
    const { data } = JSON.parse(recorded("loki-labels").body) as { readonly data: readonly string[] };
    const used = (await queriesOf("loki")).flatMap((text) => [
      ...[...text.matchAll(/[{,]\s*(\w+)\s*[=!]/g)].map(([, label]) => label),
      ...[...text.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels]) => labels?.split(/,\s*/)),
    ]);

    expect(used.length).toBeGreaterThan(4);
    expect(data).toEqual(expect.arrayContaining(used));
  });

  test("the filters take the lines of failures, and leave the others", async () => {
    const linesOf = (name: string) => {
      const { data } = JSON.parse(recorded(name).body) as { data: { result: { values: [string, string][] }[] } };
      return data.result.flatMap(({ values }) => values.map(([, line]) => line));
    };
    const patterns = (await queriesOf("loki")).flatMap((text) =>
      [...text.matchAll(/\|~ `\(\?i\)([^`]*)`/g)].map(([, pattern]) => new RegExp(pattern as string, "i")),
    );
    const failures = linesOf("loki-streams");
    const successes = linesOf("loki-rfc3339");

    expect(patterns).toHaveLength(3);
    expect(failures.length * successes.length).toBeGreaterThan(0);
    for (const pattern of patterns) {
      expect(failures.filter((line) => !pattern.test(line))).toEqual([]);
      expect(successes.filter((line) => pattern.test(line))).toEqual([]);
    }
  });

  test("TraceQL asks for attributes that Tempo has", async () => {
    const { tagNames } = JSON.parse(recorded("tempo-tags").body) as { readonly tagNames: readonly string[] };
    const used = (await queriesOf("tempo")).flatMap((text) =>
      [...text.matchAll(/\b(?:resource|span)\.([\w.]+)/g)].map(([, name]) => name),
    );

    expect(used.length).toBeGreaterThan(4);
    expect(tagNames).toEqual(expect.arrayContaining(used));
  });
});
