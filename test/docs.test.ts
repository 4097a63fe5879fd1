import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import { lexer } from "marked";
import { expect, test } from "vitest";
import { createProgram } from "../src/cli/program.ts";
import { processTerminal } from "../src/cli/terminal.ts";
import { systemClock } from "../src/clock/clock.ts";
import { parseConfig } from "../src/config/parseConfig.ts";
import { ProcessGroups } from "../src/mcp/processGroups.ts";
import { parse } from "../src/skill/skill.ts";
import { tempDir } from "./kit/tempDir.ts";

const root = join(import.meta.dirname, "..");
const pages = [
  "README.md",
  "AGENTS.md",
  "examples/checkout-incident/README.md",
  ...readdirSync(join(root, "docs")).map((name) => join("docs", name)),
];

interface Snippet {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const snippets = pages.flatMap((page): readonly Snippet[] =>
  lexer(readFileSync(join(root, page), "utf8")).flatMap((token) =>
    token.type === "code" ? [{ page, language: token.lang ?? "", text: token.text as string }] : [],
  ),
);
const inLanguage = (language: string) => snippets.filter((snippet) => snippet.language === language);

test("every snippet is in a language that a test looks at", () => {
  const looked = ["bash", "ts", "text", "yaml korvus.yaml", "markdown skill", "promql", "json"];

  expect(snippets.filter(({ language }) => !looked.includes(language))).toEqual([]);
});

test.each(inLanguage("yaml korvus.yaml"))("the configuration in $page is valid", ({ text }) => {
  const env = { TEMPO_TOKEN: "t0ken", LLM_KEY: "k3y-k3y" };

  expect(() => parseConfig(text, { file: "korvus.yaml", directory: root, env })).not.toThrow();
});

test.each(inLanguage("markdown skill"))("the skill in $page is one", ({ text }) => {
  expect(parse(text).body).not.toBe("");
});

test.each(
  inLanguage("bash").flatMap(({ page, text }) =>
    commandsIn(text).map((words) => ({ page, line: words.join(" "), words })),
  ),
)("the command in $page exists with its options: $line", ({ words }) => {
  const { command, rest } = resolve(program(), words);
  const known = command.options.flatMap(({ long, short }) => [long, short]);

  expect(command.commands, `${words.join(" ")} is no whole command`).toEqual([]);
  for (const option of rest.filter((word) => word.startsWith("-") && word !== "-")) expect(known).toContain(option);
});

test("npm scripts that the pages name exist", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/npm run (?:-s )?([a-z-]+)/g)].map(
      ([, name]) => name as string,
    ),
  );

  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test("links between the pages lead somewhere", () => {
  const linked = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) =>
      join(root, page, "..", target as string),
    ),
  );
  const existing = new Set(
    readdirSync(root, { recursive: false }).concat(readdirSync(join(root, "docs")).map((name) => join("docs", name))),
  );

  expect(linked.map((path) => relative(root, path)).filter((path) => !existing.has(path))).toEqual([]);
});

test("TypeScript in the pages compiles against the sources", async () => {
  const sources = inLanguage("ts");
  await using dir = await tempDir({
    ...Object.fromEntries(sources.map(({ text }, index) => [`snippet${index}.ts`, text])),
    "package.json": '{"type":"module"}',
    "tsconfig.json": JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        paths: { "korvus/skill": [join(root, "src/entry/skill.ts")] },
        typeRoots: [join(root, "node_modules/@types")],
      },
      include: ["*.ts", join(root, "src/skill/js-yaml.d.ts")],
    }),
  });

  const compiled = await promisify(execFile)(process.execPath, [
    join(root, "node_modules/typescript/bin/tsc"),
    "-p",
    dir.path,
  ]).catch((error: { stdout: string }) => error);

  expect(sources.length).toBeGreaterThan(0);
  expect(compiled.stdout).toBe("");
});

function program(): Command {
  const context = {
    terminal: processTerminal(process),
    cwd: root,
    env: {},
    signal: new AbortController().signal,
    groups: new ProcessGroups(),
    clock: systemClock,
    readInput: async () => "",
  };
  return createProgram(context, () => undefined);
}

/** The arguments of each korvus command, as a shell would split them. */
function commandsIn(text: string): readonly (readonly string[])[] {
  return text.split("\n").flatMap((line) => {
    const found = /(?:^|&& )(?:korvus|npm run -s korvus --) ([^#|>]+)/.exec(line);
    return found ? [[...(found[1] as string).matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word)] : [];
  });
}

function resolve(
  command: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const inner = command.commands.find((candidate) => candidate.name() === words[0]);
  return inner ? resolve(inner, words.slice(1)) : { command, rest: words };
}
