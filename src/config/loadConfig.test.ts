import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/kit/tempDir.ts";
import { ConfigError } from "./configError.ts";
import { defaultConfig } from "./defaultConfig.ts";
import { loadConfig } from "./loadConfig.ts";
import { parseConfig } from "./parseConfig.ts";

const failure = (options: Parameters<typeof loadConfig>[0]) =>
  loadConfig(options).then(
    () => expect.fail("expected a ConfigError"),
    (error: unknown) => (error instanceof ConfigError ? error.message : Promise.reject(error)),
  );

test("no file at all is the default configuration of the working directory", async () => {
  await using dir = await tempDir();

  const config = await loadConfig({ cwd: dir.path, env: {} });

  expect(config).not.toHaveProperty("file");
  expect(config).toMatchObject({ directory: dir.path, skills: { path: join(dir.path, "skills") } });
});

test("the default configuration is what an empty file means", () => {
  expect(defaultConfig("/somewhere")).toEqual(parseConfig("", { directory: "/somewhere", env: {} }));
});

test("korvus.yaml is found in the nearest directory above, and paths start from there", async () => {
  await using dir = await tempDir({
    "korvus.yaml": "skills: { path: far }",
    "a/korvus.yaml": "skills: { path: near }",
    "a/b/c/x": "",
  });

  const config = await loadConfig({ cwd: join(dir.path, "a/b/c"), env: {} });

  expect(config.file).toBe(join(dir.path, "a/korvus.yaml"));
  expect(config.directory).toBe(join(dir.path, "a"));
  expect(config.skills.path).toBe(join(dir.path, "a/near"));
});

test("an explicit file is relative to the working directory, and must exist", async () => {
  await using dir = await tempDir({ "ops/other.yaml": "skills: { path: s }", "korvus.yaml": "broken: [" });

  const config = await loadConfig({ file: "ops/other.yaml", cwd: dir.path, env: {} });

  expect(config).toMatchObject({ file: join(dir.path, "ops/other.yaml"), skills: { path: join(dir.path, "ops/s") } });
  expect(await failure({ file: "none.yaml", cwd: dir.path, env: {} })).toBe("none.yaml:1:1 no such file");
});

test("messages name the file as seen from the working directory", async () => {
  await using dir = await tempDir({ "korvus.yaml": "skils: {}", "a/x": "" });

  expect(await failure({ cwd: dir.path, env: {} })).toBe("korvus.yaml:1:1 skils: unknown key, did you mean skills?");
  expect(await failure({ cwd: join(dir.path, "a"), env: {} })).toMatch(/^\.\.\/korvus\.yaml:1:1 /);
});

test("a file that cannot be read or is not UTF-8 is an error, not a missing file", async () => {
  await using dir = await tempDir({ "a/korvus.yaml/x": "", "b/korvus.yaml": Buffer.from([0x61, 0xff]) });

  expect(await failure({ cwd: join(dir.path, "a"), env: {} })).toMatch(/korvus\.yaml:1:1 cannot be read: EISDIR$/);
  expect(await failure({ cwd: join(dir.path, "b"), env: {} })).toBe("korvus.yaml:1:1 the file is not UTF-8");
});

test("a file that would fill the memory is refused before it is read", async () => {
  await using dir = await tempDir({ "korvus.yaml": "" });
  await truncate(join(dir.path, "korvus.yaml"), 8 * 2 ** 30);

  expect(await failure({ cwd: dir.path, env: {} })).toBe(
    `${join(dir.path, "korvus.yaml")}:1:1 cannot be read: more than 16 MiB`,
  );
});
