import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../test/kit/tempDir.ts";
import { memoryLog } from "../log/log.ts";
import { CatalogError, load } from "./catalog.ts";

const skill = (name: string, server?: string, body = `${name} body`) =>
  `---\nname: ${name}\n${server === undefined ? "" : `mcp_server: ${server}\n`}---\n${body}\n`;

async function failure(path: string): Promise<CatalogError> {
  const error = await load(path, [], memoryLog()).catch((error: unknown) => error);
  if (!(error instanceof CatalogError)) throw new Error("expected a CatalogError", { cause: error });
  return error;
}

test("a skill whose server is not connected is dropped, and the drop is logged", async () => {
  await using dir = await tempDir({
    "prometheus.md": skill("prometheus", "prometheus"),
    "loki.md": skill("loki", "loki"),
    "generic.md": skill("generic"),
  });
  const log = memoryLog();

  const catalog = await load(dir.path, ["prometheus"], log);

  expect(catalog.skills.map(({ name }) => name)).toEqual(["generic", "prometheus"]);
  expect(catalog.dropped).toEqual([{ name: "loki", mcpServer: "loki", file: "loki.md" }]);
  expect(log.lines).toEqual([
    expect.objectContaining({ level: "info", skill: "loki", server: "loki" }),
    expect.objectContaining({ level: "info", path: dir.path, skills: 2 }),
  ]);
});

test.each(["constructor", "__proto__", "Prometheus", "toString"])("%s is not a connected server", async (server) => {
  await using dir = await tempDir({ "a.md": skill("a", server) });

  const catalog = await load(dir.path, ["prometheus"], memoryLog());

  expect(catalog.skills).toEqual([]);
});

test("connected servers are any iterable, read once", async () => {
  await using dir = await tempDir({ "a.md": skill("a", "one"), "b.md": skill("b", "two") });

  const catalog = await load(
    dir.path,
    new Map([
      ["one", 1],
      ["two", 2],
    ]).keys(),
    memoryLog(),
  );

  expect(catalog.skills).toHaveLength(2);
});

test("only *.md of the directory itself, dot files included, by the bytes of the name", async () => {
  const names = ["b.md", "a.md", "B.md", "10.md", "2.md", "é.md", "😀.md", "\uffee.md", ".md", ".hidden.md", "a-b.md"];
  await using dir = await tempDir({
    ...Object.fromEntries(names.map((name) => [name, `---\nname: "${name}"\n---\n`])),
    "A.MD": "broken",
    "notes.txt": "broken",
    "sub/c.md": "broken",
    md: "broken",
  });

  const catalog = await load(dir.path, [], memoryLog());

  const sorted = names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(catalog.skills.map(({ name }) => name)).toEqual(sorted);
});

test("a file name that is not UTF-8 is read and sorted all the same", async () => {
  await using dir = await tempDir({ "a.md": skill("a"), "z.md": skill("z") });
  await writeFile(Buffer.concat([Buffer.from(`${dir.path}/m`), Buffer.from([0xff]), Buffer.from(".md")]), skill("m"));

  const catalog = await load(dir.path, [], memoryLog());

  expect(catalog.skills.map(({ name }) => name)).toEqual(["a", "m", "z"]);
});

test("symlinks to files are followed", async () => {
  await using dir = await tempDir({ "elsewhere/real.txt": skill("real"), "skills/a.md": skill("a") });
  await symlink("../elsewhere/real.txt", join(dir.path, "skills/link.md"));

  const catalog = await load(join(dir.path, "skills"), [], memoryLog());

  expect(catalog.skills.map(({ name }) => name)).toEqual(["a", "real"]);
});

test("what is called *.md and cannot be read as a file is unreadable, and nothing hangs on it", async () => {
  await using dir = await tempDir({ "good.md": skill("good"), "sub/x": "" });
  await mkdir(join(dir.path, "directory.md"));
  await symlink("nowhere", join(dir.path, "broken.md"));
  await symlink("loop.md", join(dir.path, "loop.md"));
  await symlink("sub", join(dir.path, "link-to-directory.md"));
  execFileSync("sh", ["-c", "mkfifo pipe.md"], { cwd: dir.path });
  await symlink("pipe.md", join(dir.path, "link-to-pipe.md"));

  const error = await failure(dir.path);

  expect(error.errors.map(({ file, code }) => `${file} ${code}`)).toEqual([
    "broken.md unreadable",
    "directory.md unreadable",
    "link-to-directory.md unreadable",
    "link-to-pipe.md unreadable",
    "loop.md unreadable",
    "pipe.md unreadable",
  ]);
});

test("all broken files are named at once, whether their server is connected or not", async () => {
  await using dir = await tempDir({
    "a.md": skill("a"),
    "b.md": "---\nname: b\nmcp_server: loki\ndescription: use when: errors\n---\n",
    "c.md": "# no header",
    "d.md": "---\nname: d\n",
  });

  const error = await failure(dir.path);

  expect(error).toMatchObject({ code: "invalid-yaml", file: "b.md" });
  expect(error.errors.map(({ file, code, line, column }) => [file, code, line, column])).toEqual([
    ["b.md", "invalid-yaml", 4, 22],
    ["c.md", "no-frontmatter", 1, 1],
    ["d.md", "unterminated", 1, 1],
  ]);
  expect(error.message.split("\n")).toEqual([
    `${dir.path}/b.md:4:22 invalid-yaml: a value with ": " needs quotes`,
    `${dir.path}/c.md:1:1 no-frontmatter: expected "---" before anything else, found "# no header"`,
    `${dir.path}/d.md:1:1 unterminated: no closing "---" line after the frontmatter`,
  ]);
});

test("a missing directory is an empty catalog and a warning", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "nowhere");
  const log = memoryLog();

  const catalog = await load(path, [], log);

  expect(catalog.skills).toEqual([]);
  expect(log.lines).toEqual([
    expect.objectContaining({ level: "warn", path }),
    expect.objectContaining({ level: "info", path, skills: 0 }),
  ]);
});

test("a path that is not a directory is an error", async () => {
  await using dir = await tempDir({ "a.md": skill("a") });
  const path = join(dir.path, "a.md");

  expect(await failure(path)).toMatchObject({ code: "unreadable", file: path });
});

test("signs of a glob pattern in the path are literal", async () => {
  await using dir = await tempDir({ "[x]{y}*?/a.md": skill("a"), "x/b.md": skill("b") });

  const catalog = await load(join(dir.path, "[x]{y}*?"), [], memoryLog());

  expect(catalog.skills.map(({ name }) => name)).toEqual(["a"]);
});

test("two skills of one name are both kept, with a warning that names both files", async () => {
  await using dir = await tempDir({ "a.md": skill("same"), "b.md": skill("same"), "c.md": skill("same", "loki") });
  const log = memoryLog();

  const catalog = await load(dir.path, [], log);

  expect(catalog.skills).toHaveLength(2);
  const warnings = log.lines.filter(({ level }) => level === "warn");
  expect(warnings).toEqual([expect.objectContaining({ skill: "same", files: ["a.md", "b.md"] })]);
});

test("the catalog is frozen to its last field", async () => {
  await using dir = await tempDir({ "a.md": skill("a"), "b.md": skill("b", "loki") });

  const catalog = await load(dir.path, [], memoryLog());

  const parts = [
    catalog,
    catalog.skills,
    catalog.dropped,
    ...catalog.skills,
    ...catalog.dropped,
    catalog.skills[0]?.tags,
  ];
  expect(parts.every(Object.isFrozen)).toBe(true);
});

describe("the digest", () => {
  test("covers every field and body in order", async () => {
    await using dir = await tempDir({
      "a.md": "---\nname: a\ndescription: d\ntags: [t]\n---\nbody",
      "b.md": skill("b", "s"),
    });

    const { digest } = await load(dir.path, ["s"], memoryLog());

    const json = '[["a","d",["t"],null,"body"],["b","",[],"s","b body"]]';
    expect(digest).toBe(createHash("sha256").update(json).digest("hex"));
  });

  test("is the same wherever the files lie and whatever was dropped", async () => {
    await using here = await tempDir({ "a.md": skill("a"), "b.md": skill("b", "loki") });
    await using there = await tempDir({ "deep/er/z.md": skill("a") });

    const [one, two] = await Promise.all([
      load(here.path, [], memoryLog()),
      load(join(there.path, "deep/er"), [], memoryLog()),
    ]);

    expect(one.digest).toBe(two.digest);
  });

  test("of no skills is that of an empty list", async () => {
    await using dir = await tempDir();

    const { digest } = await load(dir.path, [], memoryLog());

    expect(digest).toBe(createHash("sha256").update("[]").digest("hex"));
  });
});

test("more files than a process may open", async () => {
  const files = Array.from({ length: 3_000 }, (_, i) => [`${String(i).padStart(4, "0")}.md`, skill(`n${i}`)] as const);
  await using dir = await tempDir(Object.fromEntries(files));

  const catalog = await load(dir.path, [], memoryLog());

  expect(catalog.skills.map(({ name }) => name)).toEqual(files.map((_, i) => `n${i}`));
});

test("a file that would fill the memory is refused before it is read", async () => {
  await using dir = await tempDir({ "a.md": skill("a"), "b.md": "" });
  await truncate(join(dir.path, "b.md"), 8 * 2 ** 30);

  const { errors } = await failure(dir.path);

  expect(errors).toEqual([
    expect.objectContaining({ file: "b.md", code: "unreadable", message: "cannot be read: larger than 32 MiB" }),
  ]);
});
