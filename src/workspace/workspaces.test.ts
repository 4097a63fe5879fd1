import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitRepository } from "../../test/kit/gitRepository.ts";
import { needs } from "../../test/kit/needs.ts";
import { startProcess } from "../../test/kit/startProcess.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import { systemClock as clock } from "../clock/clock.ts";
import { memoryLog } from "../log/log.ts";
import { createWorkspaces } from "./createWorkspaces.ts";
import type { WorkspaceSource } from "./workspace.ts";

const signal = new AbortController().signal;
const git = needs("git");

async function workspaceOf(repository: string, caps: Partial<WorkspaceSource> = {}) {
  const dir = await tempDir();
  const source = { name: "ops", repository, maxFiles: 20_000, maxBytes: 2 ** 28, maxFileBytes: 2 ** 23, ...caps };
  const log = memoryLog();
  const open = () =>
    createWorkspaces({ sources: [source], directory: dir.path, clock, log, environment: process.env, timeout: 60_000 });
  const workspaces = await open();
  return {
    workspaces,
    open,
    log,
    directory: dir.path,
    async seeded(ref = "HEAD") {
      const { commit } = await workspaces.resolve("ops", ref, signal);
      return await workspaces.seed("ops", commit, signal);
    },
    async [Symbol.asyncDispose]() {
      await workspaces[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .toSorted();

test(
  "branches, tags, abbreviated and full ids resolve to a full commit; a tag of a tag is peeled; what is new is fetched",
  git,
  async () => {
    await using repository = await gitRepository({ "skills/a.md": "A" });
    const first = repository.git("rev-parse", "HEAD");
    repository.git("tag", "-a", "v1", "-m", "one");
    repository.git("tag", "-a", "v1-again", "-m", "again", "v1");
    await using place = await workspaceOf(repository.path);
    const resolve = async (ref: string) => (await place.workspaces.resolve("ops", ref, signal)).commit;

    expect(await resolve("main")).toBe(first);
    const second = repository.commit({ "skills/a.md": "B" });

    expect(await resolve("main")).toBe(second);
    expect(await resolve("v1-again")).toBe(first);
    expect(await resolve(first.slice(0, 10))).toBe(first);
    expect(await resolve(first)).toBe(first);
    expect((await place.workspaces.resolve("ops", undefined, signal)).commit).toBe(second);
    for (const wrong of ["nowhere", "-x", "a..b", "main^", "\u0000", "", "refs/heads/../x"])
      await expect(place.workspaces.resolve("ops", wrong, signal), wrong).rejects.toMatchObject({
        code: "unknown-ref",
      });
  },
);

test("a tree is seeded byte for byte: no filter, no attribute, no line end and no hook changes it", git, async () => {
  await using repository = await gitRepository({
    ".gitattributes": "*.txt text eol=crlf\n*.md export-ignore\nver export-subst\n*.bin filter=lfs\n",
    "a.txt": "unix\n",
    "b.txt": "dos\r\n",
    ver: "$Format:%H$",
    "skills/a.md": "A",
    "x.bin": new Uint8Array([0, 1, 2, 255]),
  });
  writeFileSync(join(repository.path, ".git/hooks/post-checkout"), "#!/bin/sh\ntouch /tmp/korvus-hook-ran\n", {
    mode: 0o755,
  });
  await using place = await workspaceOf(repository.path);

  await using tree = await place.seeded();

  expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe(
    execFileSync("git", ["-C", repository.path, "show", "HEAD:a.txt"], { encoding: "utf8" }),
  );
  expect(readFileSync(join(tree.path, "ver"), "utf8")).toBe("$Format:%H$");
  expect(filesIn(tree.path)).toEqual([".gitattributes", "a.txt", "b.txt", "skills/a.md", "ver", "x.bin"]);
  expect([tree.files, tree.leftOut]).toEqual([6, []]);
  expect(existsSync("/tmp/korvus-hook-ran")).toBe(false);
  expect(statSync(tree.path).mode & 0o777).toBe(0o700);
});

test("links within the tree are followed, links that leave it are refused and named", git, async () => {
  await using repository = await gitRepository({ "docs/real.md": "REAL", "skills/a.md": "A" });
  for (const [target, name] of [
    ["docs/real.md", "inside"],
    ["/etc/passwd", "absolute"],
    ["../../etc/passwd", "above"],
    ["loop", "loop"],
    ["nowhere", "dangling"],
  ] as const)
    execFileSync("ln", ["-s", target, join(repository.path, name)]);
  repository.commit({});
  await using place = await workspaceOf(repository.path);

  await using tree = await place.seeded();

  expect(readFileSync(join(tree.path, "inside"), "utf8")).toBe("REAL");
  expect(tree.leftOut.map(({ path }) => path)).toEqual(["above", "absolute", "dangling", "loop"]);
  expect(tree.skills).toEqual({ path: join(tree.path, "skills") });
});

test(
  "what git itself would not check out is left out and named: parents, .git in any case, submodules, odd names",
  git,
  async () => {
    await using repository = await gitRepository({ "good.md": "GOOD" });
    const blob = repository.blob("EVIL");
    const commit = repository.git("rev-parse", "HEAD");
    const made = repository.commitTree(
      [
        `100644 blob ${blob}\t.GIT`,
        `100644 blob ${blob}\tgit~1`,
        `100644 blob ${blob}\tgood`,
        `100644 blob ${blob}\tGood`,
        `160000 commit ${commit}\tmodule`,
        `100644 blob ${"1".repeat(40)}\tmissing`,
      ],
      "evil",
    );
    await using place = await workspaceOf(repository.path);

    const { commit: resolved } = await place.workspaces.resolve("ops", "evil", signal).catch(() => ({ commit: made }));
    const seeding = place.workspaces.seed("ops", resolved, signal);
    // git refuses to fetch a tree that lacks a blob: then the commit is not there, which is an error that says so.
    const tree = await seeding.catch((error: { code?: string }) => error);

    if ("path" in tree) {
      expect(filesIn(tree.path)).toEqual(["Good"]);
      expect(tree.leftOut.map(({ path }) => path)).toEqual([".GIT", "git~1", "good", "missing", "module"]);
      await tree[Symbol.asyncDispose]();
    } else expect(["unreachable", "commit-gone"]).toContain(tree.code);
  },
);

test("a path with .. in it never leaves the directory", git, async () => {
  await using repository = await gitRepository({ "good.md": "GOOD" });
  const blob = repository.blob("EVIL");
  // mktree refuses such a name: the tree is written by hand.
  const entry = Buffer.concat([Buffer.from("100644 ..\0"), Buffer.from(blob, "hex")]);
  const inner = execFileSync(
    "git",
    ["-C", repository.path, "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
    { input: entry, encoding: "utf8" },
  ).trim();
  const outer = Buffer.concat([Buffer.from("40000 skills\0"), Buffer.from(inner, "hex")]);
  const tree = execFileSync(
    "git",
    ["-C", repository.path, "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
    { input: outer, encoding: "utf8" },
  ).trim();
  repository.git("update-ref", "refs/heads/evil", repository.git("commit-tree", tree, "-m", "evil"));
  await using place = await workspaceOf(repository.path);

  await using seeded = await place.seeded("evil");

  expect(seeded.skills).toMatchObject({ fault: expect.stringContaining("..") });
  expect(filesIn(seeded.path)).toEqual([]);
});

test("a hundred thousand files: as many as are allowed, skills first, and the rest is counted", {
  ...git,
  timeout: 120_000,
}, async () => {
  await using repository = await gitRepository();
  const files = Array.from({ length: 100_000 }, (_, index) => `M 100644 :1 many/${index % 100}/f${index}.txt\n`).join(
    "",
  );
  repository.fastImport(
    `blob\nmark :1\ndata 2\nx\n\ncommit refs/heads/many\ncommitter A <a@b> 1 +0000\ndata 1\nm\n${files}M 100644 :1 skills/a.md\n`,
  );
  await using place = await workspaceOf(repository.path, { maxFiles: 1_000 });

  await using tree = await place.seeded("many");

  expect(tree.files).toBe(1_000);
  expect(tree.skills).toEqual({ path: join(tree.path, "skills") });
  expect(tree.leftOut).toHaveLength(101);
  expect(tree.leftOut.at(-1)?.path).toBe("98901 more");
});

test("a blob of one gibibyte is left out and costs no memory", { ...git, timeout: 120_000 }, async () => {
  await using repository = await gitRepository({ "skills/a.md": "A" });
  // Zeros: small in the repository, and as large as any where they are read.
  execFileSync(
    "sh",
    [
      "-c",
      "head -c 1073741824 /dev/zero | git -c core.compression=1 -c core.bigFileThreshold=1m hash-object -w --stdin > id",
    ],
    { cwd: repository.path },
  );
  const id = readFileSync(join(repository.path, "id"), "utf8").trim();
  repository.git("update-index", "--add", "--cacheinfo", `100644,${id},huge.bin`);
  repository.git("commit", "--quiet", "-m", "huge");
  await using place = await workspaceOf(repository.path);
  const before = process.memoryUsage().rss;

  await using tree = await place.seeded();

  expect(tree.leftOut).toEqual([{ path: "huge.bin", reason: expect.stringContaining("1073741824 bytes") }]);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
});

test("LFS pointers are named, not followed", git, async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
  await using repository = await gitRepository({ "big.tar": pointer, "skills/a.md": "A" });
  await using place = await workspaceOf(repository.path);

  await using tree = await place.seeded();

  expect(tree.leftOut).toEqual([{ path: "big.tar", reason: expect.stringContaining("LFS") }]);
});

test("a shallow clone serves what it has", git, async () => {
  await using repository = await gitRepository({ "skills/a.md": "A" });
  const first = repository.git("rev-parse", "HEAD");
  const second = repository.commit({ "skills/a.md": "B" });
  await using dir = await tempDir();
  execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${repository.path}`, join(dir.path, "shallow")]);
  await using place = await workspaceOf(join(dir.path, "shallow"));

  await using tree = await place.seeded("main");

  expect(tree.commit).toBe(second);
  await expect(place.workspaces.resolve("ops", first, signal)).rejects.toMatchObject({ code: "commit-gone" });
});

test("sessions of two processes' worth seed from one mirror at once, and get the same", git, async () => {
  await using repository = await gitRepository(
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`skills/${index}.md`, `skill ${index}`])),
  );
  await using place = await workspaceOf(repository.path);
  await using other = await place.open();

  const trees = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const workspaces = index % 2 === 0 ? place.workspaces : other;
      const { commit } = await workspaces.resolve("ops", "main", signal);
      return await workspaces.seed("ops", commit, signal);
    }),
  );

  expect(new Set(trees.map(({ path }) => path)).size).toBe(12);
  for (const tree of trees) expect(filesIn(tree.path)).toEqual(filesIn(trees[0]?.path ?? ""));
  await Promise.all(trees.map((tree) => tree[Symbol.asyncDispose]()));
});

test("scratch directories of a process that was killed are removed by the next, those of a live one are not", {
  ...git,
  timeout: 60_000,
}, async () => {
  await using repository = await gitRepository({ "skills/a.md": "A" });
  await using place = await workspaceOf(repository.path);
  const program = `
    import { createWorkspaces } from ${JSON.stringify(join(import.meta.dirname, "createWorkspaces.ts"))};
    import { systemClock as clock } from ${JSON.stringify(join(import.meta.dirname, "../clock/clock.ts"))};
    const source = { name: "ops", repository: ${JSON.stringify(repository.path)}, maxFiles: 9, maxBytes: 999, maxFileBytes: 999 };
    const quiet = { debug() {}, info() {}, warn() {}, error() {} };
    const workspaces = await createWorkspaces({ sources: [source], directory: ${JSON.stringify(place.directory)}, clock, log: quiet, environment: process.env });
    const signal = new AbortController().signal;
    const { commit } = await workspaces.resolve("ops", "main", signal);
    console.log("tree " + (await workspaces.seed("ops", commit, signal)).path + " end");
    setInterval(() => {}, 1000);`;
  const start = () =>
    startProcess(process.execPath, ["--input-type=module-typescript", "-e", program], {
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
    });
  await using dead = start();
  await using alive = start();
  const [, left = ""] = await dead.until(/tree (\S+) end/);
  const [, held = ""] = await alive.until(/tree (\S+) end/);
  dead.kill("SIGKILL");
  await dead.exited;

  await using tree = await place.seeded("main");

  expect(existsSync(left)).toBe(false);
  expect(existsSync(join(held, "skills/a.md"))).toBe(true);
  expect(existsSync(tree.path)).toBe(true);
});

test("a repository that wants a password fails at once, asks nobody, and shows no password", git, async () => {
  const server = createServer((_, response) =>
    response.writeHead(401, { "www-authenticate": "Basic realm=x" }).end(),
  ).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await using place = await workspaceOf(`http://ana:secret-word@127.0.0.1:${port}/ops.git`);

  const failure = place.workspaces.resolve("ops", "main", AbortSignal.timeout(20_000));

  await expect(failure).rejects.toMatchObject({ code: "unreachable" });
  await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining("secret-word") });
  expect(JSON.stringify(place.log.lines)).not.toContain("secret-word");
  server.closeAllConnections();
  server.close();
});

test.each(["ext::sh -c touch% /tmp/x", "fd::7", "javascript://x", "--upload-pack=touch /tmp/x"])(
  "the address %s is refused",
  git,
  async (repository) => {
    await expect(workspaceOf(repository)).rejects.toMatchObject({
      name: "WorkspaceError",
      message: expect.stringContaining("ops"),
    });
  },
);

test("a state directory that cannot be used is told, with what to do", git, async () => {
  await using repository = await gitRepository();
  await using dir = await tempDir({ file: "" });
  const sources = [{ name: "ops", repository: repository.path, maxFiles: 1, maxBytes: 1, maxFileBytes: 1 }];
  mkdirSync(join(dir.path, "fine"));
  const workspaces = await createWorkspaces({
    sources,
    directory: join(dir.path, "file/x"),
    clock,
    log: memoryLog(),
    environment: process.env,
  });

  await expect(workspaces.resolve("ops", "main", signal)).rejects.toMatchObject({
    code: "no-directory",
    message: expect.stringContaining("store.directory"),
  });
});
