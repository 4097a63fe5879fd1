import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitRepository } from "../../test/kit/gitRepository.ts";
import { needs } from "../../test/kit/needs.ts";
import { drain, reportCall, reportOf } from "../../test/kit/probeRun.ts";
import { type GroundsOptions, sessionGrounds } from "../../test/kit/sessionGrounds.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import type { StepInput } from "../model/model.ts";
import type { ScriptedAnswer } from "../model/scriptedModel.ts";
import { runHere } from "./runHere.ts";
import { bundleFromStore } from "./sessionBundle.ts";
import { exportLines, readExport } from "./sessionExport.ts";
import { storedSessions } from "./sessions.ts";
import { verifySession } from "./verifySession.ts";

const never = new AbortController().signal;
const skill = (name: string, body: string, server = "probe") =>
  `---\nname: ${name}\ndescription: about ${name}\nmcp_server: ${server}\n---\n${body}\n`;
const answer = ({ messages }: StepInput): ScriptedAnswer =>
  messages.some(({ role }) => role === "assistant")
    ? { calls: [reportCall("likely", [1, "probe"])] }
    : { calls: [{ name: "probe_echo", arguments: { text: "x" } }] };

async function pinnedTo(repository: string, ref?: string, options: Partial<GroundsOptions> = {}) {
  const grounds = await sessionGrounds({ steps: answer, workspaces: { payments: repository }, ...options });
  const sessions = storedSessions(grounds.surroundings);
  const workspace = { name: "payments", ...(ref === undefined ? {} : { ref }) };
  const { id } = await sessions.create({ question: "why?", workspace, queued: false }, never);
  const events = await drain(runHere(id, grounds.surroundings, never));
  return {
    id,
    grounds,
    sessions,
    row: await sessions.get(id),
    prompt: (await sessions.prompt(id)).text,
    report: reportOf(events),
    verify: async () => {
      const { workspaces, log, store } = grounds.surroundings;
      return await verifySession(await bundleFromStore(store, id), {
        workspaces,
        log,
        version: "1.2.3",
        signal: never,
      });
    },
    [Symbol.asyncDispose]: () => grounds[Symbol.asyncDispose](),
  };
}

test("a pinned session has the skills of its commit, never those of the deployment", needs("git"), async () => {
  await using repository = await gitRepository({ "skills/a.md": skill("pinned", "OF THE COMMIT") });

  await using session = await pinnedTo(repository.path);

  expect(session.prompt).toContain("OF THE COMMIT");
  expect(session.prompt).not.toContain("MARKER");
  expect(session.row.workspaceRef).toBe(repository.git("rev-parse", "HEAD"));
  expect(session.report).toMatchObject({ skillsUsed: ["pinned"], workspace: { name: "payments", ref: "HEAD" } });
});

test("an unpinned session gets the skills path's catalog as it was at start-up, whatever becomes of the files", async () => {
  await using grounds = await sessionGrounds({ steps: answer });
  const sessions = storedSessions(grounds.surroundings);
  const before = await sessions.create({ question: "why?", queued: false }, never);
  writeFileSync(join(grounds.directory, "skills/deployed.md"), "broken");
  writeFileSync(join(grounds.directory, "skills/new.md"), skill("new", "NEW"));

  const after = await sessions.create({ question: "why?", queued: false }, never);
  await drain(runHere(before.id, grounds.surroundings, never));

  expect(after.promptDigest).toBe(before.promptDigest);
  expect((await sessions.prompt(after.id)).text).toContain("MARKER of the deployment.");
});

test(
  "sessions pinned to one commit get equal prompts in fresh directories and on other machines; to different commits, each its own",
  needs("git"),
  async () => {
    await using repository = await gitRepository({
      "skills/a.md": skill("a", "first"),
      "skills/b.md": skill("b", "B", "loki"),
    });
    const first = repository.git("rev-parse", "HEAD");
    repository.commit({ "skills/a.md": skill("a", "second") });
    await using clone = await tempDir();
    execFileSync("git", ["clone", "--quiet", "--no-local", repository.path, join(clone.path, "clone")]);

    await using here = await pinnedTo(repository.path, first);
    await using elsewhere = await pinnedTo(join(clone.path, "clone"), first);
    await using later = await pinnedTo(repository.path, "main");

    expect(elsewhere.prompt).toBe(here.prompt);
    expect(elsewhere.row.catalogDigest).toBe(here.row.catalogDigest);
    expect(later.prompt).not.toBe(here.prompt);
    expect(later.prompt).toContain("second");
    expect(here.report.coverage.skillsDropped).toMatchObject([{ name: "b", mcpServer: "loki" }]);
  },
);

test.each<[string, (repository: Awaited<ReturnType<typeof gitRepository>>) => void, RegExp]>([
  ["no skills directory", (r) => void r.commit({ skills: null, "other.txt": "x" }), /has no skills directory/],
  [
    "a broken skill",
    (r) => void r.commit({ "skills/x.md": "no header" }),
    /skills\/x\.md at [0-9a-f]{7} is broken \(no-frontmatter, line 1\)/,
  ],
  [
    "a broken skill of a server that is not connected",
    (r) => void r.commit({ "skills/x.md": "---\nmcp_server: loki\n---\n" }),
    /skills\/x\.md .* is broken \(missing-name/,
  ],
  [
    "a link that leaves the tree",
    (r) => {
      execFileSync("ln", ["-s", "/etc/passwd", join(r.path, "skills/x.md")]);
      r.commit({});
    },
    /skills\/x\.md/,
  ],
  [
    "a skills directory that is a link",
    (r) => {
      rmSync(join(r.path, "skills"), { recursive: true });
      execFileSync("ln", ["-s", "/etc", join(r.path, "skills")]);
      r.commit({});
    },
    /skills/,
  ],
  [
    "skills that are one file",
    (r) => {
      r.commit({ skills: null });
      r.commit({ skills: "a file" });
    },
    /skills .* is a file/,
  ],
])("a commit with %s gives no skills at all, and says why everywhere", needs("git"), async (_, change, reason) => {
  await using repository = await gitRepository({ "skills/a.md": skill("a", "A"), "README.md": "x" });
  change(repository);

  await using session = await pinnedTo(repository.path);

  expect(session.prompt).not.toContain("MARKER");
  expect(session.prompt).not.toContain("# Skills");
  expect(session.row.noSkills).toMatch(reason);
  expect(session.report.coverage.noSkills).toMatch(reason);
  expect(session.report.skillsUsed).toEqual([]);
  expect((await session.verify()).differences).toEqual([]);
});

test("a fault elsewhere in the tree leaves that file out and names it", needs("git"), async () => {
  await using repository = await gitRepository({ "skills/a.md": skill("a", "A") });
  execFileSync("ln", ["-s", "../../etc/passwd", join(repository.path, "out")]);
  repository.commit({ "big.bin": "x".repeat(9 * 2 ** 20) });

  await using session = await pinnedTo(repository.path);

  expect(session.prompt).toContain("A");
  expect(session.report.coverage.leftOut?.map(({ path }) => path)).toEqual(["big.bin", "out"]);
});

test("the files of the commit are evidence: they can be listed, read, searched and cited", needs("git"), async () => {
  await using repository = await gitRepository({
    "skills/a.md": skill("a", "A"),
    "rules/latency.yml": "alert: HighLatency\nfor: 5m\n",
  });
  const steps = ({ messages }: StepInput): ScriptedAnswer =>
    messages.some(({ role }) => role === "assistant")
      ? { calls: [reportCall("likely", [1, "workspace"], [2, "workspace"], [3, "workspace"])] }
      : {
          calls: [
            { name: "workspace_search_files", arguments: { text: "highlatency" } },
            { name: "workspace_read_file", arguments: { path: "rules/latency.yml" } },
            { name: "workspace_list_files", arguments: { pattern: "**/*.yml" } },
            { name: "workspace_read_file", arguments: { path: "../../etc/passwd" } },
            { name: "workspace_search_files", arguments: { text: "nothing like it" } },
          ],
        };

  await using session = await pinnedTo(repository.path, undefined, { steps });

  expect(await session.sessions.result(session.id, 1)).toMatchObject({
    content: [{ text: "rules/latency.yml:1: alert: HighLatency" }],
  });
  expect(await session.sessions.result(session.id, 2)).toMatchObject({
    content: [{ text: "1\talert: HighLatency\n2\tfor: 5m" }],
  });
  expect(await session.sessions.result(session.id, 4)).toMatchObject({ isError: true });
  expect(session.report).toMatchObject({
    verdict: "likely",
    findings: [{ status: "supported" }, { status: "supported" }, { status: "supported" }],
  });
  expect(session.report.coverage.servers).toContainEqual({
    server: "workspace",
    state: "answered",
    calls: { ok: 3, error: 1, empty: 1 },
  });
  expect(
    readdirSync(join(session.grounds.directory, "state/scratch")).filter((name) => !name.includes(".lock")),
  ).toHaveLength(1);
});

test(
  "a ref that leads nowhere refuses the session, and a force-pushed commit is served only while somebody has it",
  needs("git"),
  async () => {
    await using repository = await gitRepository({ "skills/a.md": skill("a", "A") });
    const lost = repository.commit({ "skills/a.md": skill("a", "LOST") });
    repository.git("reset", "--hard", "--quiet", "HEAD~1");
    repository.git("reflog", "expire", "--expire=now", "--all");
    repository.git("gc", "--quiet", "--prune=now");
    await using grounds = await sessionGrounds({ steps: answer, workspaces: { payments: repository.path } });
    const sessions = storedSessions(grounds.surroundings);
    const create = (ref: string) =>
      sessions.create({ question: "why?", workspace: { name: "payments", ref }, queued: false }, never);

    await expect(create("nowhere")).rejects.toMatchObject({ code: "unknown-ref" });
    await expect(create("--upload-pack=touch /tmp/x")).rejects.toMatchObject({ code: "unknown-ref" });
    await expect(create(lost)).rejects.toMatchObject({ code: "commit-gone" });
    await expect(
      sessions.create({ question: "why?", workspace: { name: "nobody" }, queued: false }, never),
    ).rejects.toMatchObject({ code: "unknown-workspace" });
    expect((await sessions.list({ limit: 1 })).sessions).toEqual([]);
  },
);

test(
  "a session goes on from what is stored when its commit, its mirror and the deployment's skills are gone",
  needs("git"),
  async () => {
    await using repository = await gitRepository({ "skills/a.md": skill("a", "OF THE COMMIT") });
    await using session = await pinnedTo(repository.path);
    rmSync(repository.path, { recursive: true });
    rmSync(join(session.grounds.directory, "state/mirrors"), { recursive: true });
    rmSync(join(session.grounds.directory, "skills"), { recursive: true });

    await session.sessions.send(session.id, { question: "and now?" });
    const events = await drain(runHere(session.id, session.grounds.surroundings, never));

    expect(reportOf(events)).toMatchObject({ question: "and now?", skillsUsed: ["a"] });
    expect((await session.sessions.prompt(session.id)).text).toBe(session.prompt);
    expect((await session.verify()).differences).toMatchObject([{ what: "commit" }]);
  },
);

test(
  "verify rebuilds prompt and catalog from an export and the repository alone, and names what was changed",
  needs("git"),
  async () => {
    await using repository = await gitRepository({ "skills/a.md": skill("a", "first") });
    const first = repository.git("rev-parse", "HEAD");
    const second = repository.commit({ "skills/a.md": skill("a", "second"), "skills/b.md": skill("b", "B", "loki") });
    await using session = await pinnedTo(repository.path, second);
    const lines = [...exportLines(await bundleFromStore(session.grounds.surroundings.store, session.id))].join("");
    // Another machine: nothing but the file and a clone.
    await using clone = await tempDir();
    execFileSync("git", ["clone", "--quiet", "--no-local", repository.path, join(clone.path, "clone")]);
    await using elsewhere = await sessionGrounds({
      steps: answer,
      workspaces: { payments: join(clone.path, "clone") },
      servers: [],
    });
    const { workspaces, log } = elsewhere.surroundings;
    const verify = async (text: string) => {
      const { bundle, fault } = readExport(text);
      return { fault, ...(await verifySession(bundle, { workspaces, log, version: "1.2.3", signal: never })) };
    };
    const named = async (text: string) => {
      const { fault, differences } = await verify(text);
      expect(fault).toMatch(/changed/);
      return differences.map(({ what }) => what);
    };

    expect(await verify(lines)).toMatchObject({ fault: undefined, differences: [] });
    expect(await named(lines.replaceAll(second, first))).toEqual(["commit", "catalog", "prompt"]);
    expect(await named(lines.replace('"connected":["probe"]', '"connected":["loki","probe"]'))).toContain("connected");
    expect(await named(lines.replace("You are Korvus", "You are not Korvus"))).toEqual(["prompt", "prompt"]);
    expect(await named(lines.replaceAll('"korvus":"1.2.3"', '"korvus":"0.9.9"'))).toEqual(["korvus"]);
    expect((await verify(lines.split("\n").slice(0, -2).join("\n"))).fault).toMatch(/cut/);
    expect(() => readExport("what is this?")).toThrow(/line 1/);
  },
);

test("what a mirror's scratch directory held is gone when the session ends", needs("git"), async () => {
  await using repository = await gitRepository({ "skills/a.md": skill("a", "A") });
  const session = await pinnedTo(repository.path);
  const scratch = join(session.grounds.directory, "state/scratch");
  const own = readdirSync(scratch).filter((name) => !name.includes(".lock"));

  expect(own.flatMap((name) => readdirSync(join(scratch, name)))).toEqual([]);
  await session[Symbol.asyncDispose]();
  expect(existsSync(scratch)).toBe(false);
});
