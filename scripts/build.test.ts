import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { publint } from "publint";
import { expect, test } from "vitest";
import { tempDir } from "../test/kit/tempDir.ts";
import { bundle } from "./bundle.ts";
import { isAllowed, licenceFile, packageDirs } from "./licences.ts";

const root = join(import.meta.dirname, "..");

test("the packed package has the command, and gives a TypeScript project `korvus/skill` with its types", {
  timeout: 120_000,
}, async () => {
  await using dir = await tempDir({
    "package.json": JSON.stringify({ name: "consumer", private: true, type: "module" }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { strict: true, module: "NodeNext", target: "ES2022", noEmit: true, types: [] },
    }),
    "main.ts": `
      import { load, type Log, parse, type Skill, SkillError } from "korvus/skill";
      const skill: Skill = parse("---\\nname: first\\n---\\nbody\\n");
      // @ts-expect-error a name is a string: without types this line would not be an error
      const wrong: number = skill.name;
      const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
      const catalog = await load(".", ["prometheus"], log);
      try {
        parse("no frontmatter");
      } catch (error) {
        if (error instanceof SkillError) console.log(typeof wrong, skill.name, catalog.skills.length, error.code);
      }
    `,
  });
  const run = (file: string, ...args: string[]) =>
    execFileSync(process.execPath, [file, ...args], { cwd: dir.path, encoding: "utf8", stdio: "pipe" });
  const npm = (...args: string[]) => execFileSync("npm", args, { cwd: dir.path, encoding: "utf8", stdio: "pipe" });

  if (!existsSync(join(root, "dist/skill.js"))) run(join(root, "scripts/build.ts"));
  const { messages } = await publint({ pkgDir: root, pack: false, strict: true });
  const [packed] = JSON.parse(npm("pack", root, "--ignore-scripts", "--json")) as [{ filename: string }];
  npm("install", "--offline", `./${packed.filename}`);
  run(join(root, "node_modules/typescript/bin/tsc"), "-p", ".");

  expect(messages).toEqual([]);
  expect(run("node_modules/korvus/bin/korvus.js", "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(run("main.ts")).toBe("string first 0 no-frontmatter\n");
});

test("a lazily imported CommonJS dependency works in the bundle, which knows its version", async () => {
  const dependency = join(root, "node_modules/gray-matter/index.js");
  await using dir = await tempDir({
    "main.ts": `
      declare const __KORVUS_VERSION__: string;
      const { default: matter } = await import(${JSON.stringify(dependency)});
      console.log(__KORVUS_VERSION__, matter("---\\na: 1\\n---\\n").data.a);
    `,
  });

  const outdir = join(dir.path, "dist");
  const metafile = await bundle({ entries: { cli: join(dir.path, "main.ts") }, outdir, version: "1.2.3" });

  expect(execFileSync(process.execPath, [join(outdir, "cli.js")], { encoding: "utf8" })).toBe("1.2.3 1\n");
  expect(packageDirs(Object.keys(metafile.inputs)).join()).toContain("node_modules/gray-matter");
});

test("a licence outside the list stops the build, and names the package", () => {
  const copyleft = { name: "viral", version: "1.0.0", licence: "GPL-3.0-only", text: "" };

  expect(() => licenceFile([copyleft])).toThrow("viral 1.0.0 (GPL-3.0-only)");
  expect(["MIT", "(MIT OR GPL-3.0)", "BSD-3-Clause", "MIT AND ISC"].map(isAllowed)).toEqual(Array(4).fill(true));
  expect(["UNKNOWN", "MIT AND GPL-3.0", "AGPL-3.0"].map(isAllowed)).toEqual(Array(3).fill(false));
});

test.each(["bin/korvus.js", "scripts/run.cjs"])(
  "%s tells an old Node what is wrong, in its own syntax",
  async (stub) => {
    const old = `Object.defineProperty(process, "versions", { value: { node: "10.24.1" } }); import("./${stub}")`;

    const { status, stderr } = spawnSync(process.execPath, ["-e", old], { cwd: root, encoding: "utf8" });

    expect(status).toBe(1);
    expect(stderr).toMatch(/needs Node\.js 24 or newer, and this is 10\.24\.1/);
    // esbuild refuses what ES5 cannot say, such as const and classes.
    const source = readFileSync(join(root, stub), "utf8").replace(/import\(/, "load(");
    await expect(transform(source, { target: "es5", logLevel: "silent" })).resolves.toBeDefined();
  },
);

test("a linked checkout runs on the Node.js that it brings when the machine's is too old", async () => {
  await using dir = await tempDir({
    "checkout/package.json": '{"type":"module"}',
    "checkout/bin/korvus.js": readFileSync(join(root, "bin/korvus.js"), "utf8"),
    "checkout/dist/cli.js": "console.log(...process.argv.slice(2)); process.exitCode = 2;",
    "old.cjs": 'Object.defineProperty(process, "versions", { value: { node: "20.19.0" } });',
  });
  mkdirSync(join(dir.path, "checkout/node_modules/node/bin"), { recursive: true });
  symlinkSync(process.execPath, join(dir.path, "checkout/node_modules/node/bin/node"));
  symlinkSync("checkout/bin/korvus.js", join(dir.path, "korvus"));

  const args = ["--require", "./old.cjs", "korvus", "skills", "list"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: dir.path, encoding: "utf8" });

  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "skills list\n", stderr: "" });
});
