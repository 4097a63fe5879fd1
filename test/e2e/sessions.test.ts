import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { gitRepository } from "../kit/gitRepository.ts";
import { type KorvusPlace, korvusPlace } from "../kit/korvus.ts";
import { needs } from "../kit/needs.ts";
import { type ModelPolicy, providerKey, providerMock } from "../kit/providerMock.ts";
import { startPostgres } from "../kit/startPostgres.ts";

const root = join(import.meta.dirname, "../..");
const servers = { probe: { command: process.execPath, args: [join(root, "test/kit/probeServer.ts")] } };
const skill = (name: string, body: string) => `---\nname: ${name}\nmcp_server: probe\n---\n${body}\n`;

/** Looks once, then reports; a further question is a further round. */
const lookThenReport: ModelPolicy = ({ step, results }) =>
  step % 2 === 0
    ? { calls: [{ name: "probe_echo", arguments: { text: `look ${step}` } }] }
    : {
        calls: [
          {
            name: "report",
            arguments: {
              summary: "payments is slow",
              verdict: "likely",
              findings: [
                {
                  statement: "it is",
                  evidence: [{ call: results.findLast(({ call }) => call !== undefined)?.call ?? 1, server: "probe" }],
                },
              ],
              next_steps: [],
            },
          },
        ],
      };

interface Listed {
  readonly sessions: readonly {
    readonly id: string;
    readonly status: string;
    readonly state: string;
    readonly workspaceRef?: string;
    readonly noSkills?: string;
  }[];
}

async function listed(place: KorvusPlace): Promise<Listed["sessions"]> {
  const { stdout } = await place.run(["sessions", "list", "--json"]);
  return (JSON.parse(stdout) as Listed).sessions;
}

test("an investigation is kept: listed, shown with its evidence and prompt, continued, exported and verified elsewhere", {
  ...needs("git"),
  timeout: 120_000,
}, async () => {
  await using provider = await providerMock(lookThenReport);
  await using repository = await gitRepository({ "skills/a.md": skill("pinned", "OF THE COMMIT") });
  repository.git("tag", "v42");
  const config = {
    mcp: { servers },
    model: provider.modelOf(),
    workspaces: { payments: { repository: repository.path } },
  };
  await using place = await korvusPlace(config, { "skills/b.md": skill("deployed", "MARKER") });

  const first = await place.run(["investigate", "why is checkout slow?", "--workspace", "payments@v42"]);
  expect(first).toMatchObject({ code: 0 });
  expect(first.stderr).toMatch(/workspace payments [0-9a-f]{7} \(v42\)/);
  expect(first.stdout).toMatch(/workspace payments [0-9a-f]{7} \(v42\)/);
  const [session] = await listed(place);
  const id = session?.id ?? "";
  expect(session).toMatchObject({ status: "ended", workspaceRef: repository.git("rev-parse", "v42") });

  const shown = await place.run(["sessions", "show", id.slice(0, 8)]);
  expect(shown.stdout).toContain("payments is slow");
  expect((await place.run(["sessions", "show", id, "--call", "1"])).stdout).toContain("look 0");
  const { stdout: prompt } = await place.run(["sessions", "show", id, "--prompt"]);
  expect(prompt).toContain("OF THE COMMIT");
  expect(prompt).not.toContain("MARKER");

  const more = await place.run(["sessions", "resume", id, "and why did it recover?"]);
  expect(more.code).toBe(0);
  expect((await place.run(["sessions", "show", id, "--call", "3"])).stdout).toContain("look 2");

  expect((await place.run(["sessions", "verify", id])).stdout).toMatch(/prompt rebuilt from [0-9a-f]{7}: identical/);
  expect((await place.run(["sessions", "export", id, "--output", "s.jsonl"])).code).toBe(0);
  expect((await place.run(["sessions", "export", id, "--output", "s.jsonl"])).stderr).toContain("there already");
  // Another machine: the file and the repository, no configuration.
  await using elsewhere = await korvusPlace(undefined, {
    "s.jsonl": readFileSync(join(place.path, "s.jsonl"), "utf8"),
  });
  const verify = (file: string) =>
    elsewhere.run(["sessions", "verify", "--file", file, "--repository", repository.path]);
  expect(await verify("s.jsonl")).toMatchObject({ code: 0 });
  await elsewhere.write(
    "t.jsonl",
    readFileSync(join(place.path, "s.jsonl"), "utf8").replace("OF THE COMMIT", "OF NOBODY"),
  );
  const tampered = await verify("t.jsonl");
  expect(tampered.code).toBe(3);
  expect(tampered.stdout).toMatch(/^ {2}differs {2}(prompt|catalog)/);
  expect(readFileSync(join(place.path, "s.jsonl"), "utf8")).not.toContain(providerKey);
});

test("a commit whose skills are broken gives none: header, report, list and show say why", {
  ...needs("git"),
  timeout: 60_000,
}, async () => {
  await using provider = await providerMock(lookThenReport);
  await using repository = await gitRepository({ "skills/a.md": "no header" });
  const config = {
    mcp: { servers },
    model: provider.modelOf(),
    workspaces: { payments: { repository: repository.path } },
  };
  await using place = await korvusPlace(config, { "skills/b.md": skill("deployed", "MARKER") });

  const ended = await place.run(["investigate", "why?", "--workspace", "payments"]);

  const reason = /skills\/a\.md at [0-9a-f]{7} is broken \(no-frontmatter, line 1\)/;
  expect(ended.stderr).toMatch(reason);
  expect(ended.stdout).toMatch(reason);
  const [session] = await listed(place);
  expect(session?.noSkills).toMatch(reason);
  expect((await place.run(["sessions", "show", session?.id ?? ""])).stdout).toMatch(reason);
  expect((await place.run(["workspaces", "resolve", "payments"])).stdout).toMatch(/none: skills\/a\.md is broken/);
  expect((await place.run(["sessions", "show", session?.id ?? "", "--prompt"])).stdout).not.toContain("MARKER");
});

test("a killed investigation is stalled, and goes on where it was", { timeout: 120_000 }, async () => {
  let hang = true;
  await using provider = await providerMock(async (asked) => {
    if (hang && asked.step === 1) await new Promise(() => undefined);
    return await lookThenReport(asked);
  });
  await using place = await korvusPlace({ mcp: { servers }, model: provider.modelOf() });
  const running = place.start(["investigate", "why?"]);
  await running.until(/ 1 {2}probe {2}echo .*characters/);

  running.kill("SIGKILL");
  await running.ended;
  const id = (await listed(place))[0]?.id ?? "";
  const busy = await place.run(["sessions", "resume", id]);
  expect(busy.stderr).toContain("is running session");
  hang = false;
  // Its owner is taken for dead when it has given no sign of life for fifteen seconds.
  await new Promise((resolve) => setTimeout(resolve, 16_000));
  expect((await listed(place))[0]).toMatchObject({ state: "stalled" });
  const resumed = await place.run(["sessions", "resume", id]);

  expect(resumed.code).toBe(0);
  expect(resumed.stdout).toContain("payments is slow");
  const results = provider.requests.at(-1)?.body ?? "";
  expect(results.match(/look 0/g)?.length).toBeGreaterThan(0);
});

test("a server takes sessions from curl and from the command line, by the lines of the docs, and stops in order", {
  timeout: 120_000,
}, async () => {
  await using provider = await providerMock(lookThenReport);
  await using place = await korvusPlace(
    { mcp: { servers }, model: provider.modelOf() },
    { "skills/b.md": skill("deployed", "BODY") },
  );
  const server = place.start(["serve", "--listen", "127.0.0.1:0"]);
  const [, port = ""] = await server.until(/listening on http:\/\/127\.0\.0\.1:(\d+) /);
  const url = `http://127.0.0.1:${port}`;

  const asked = await place.run(["investigate", "why?", "--server", url]);
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.stdout).toContain("payments is slow");
  const [session] = (JSON.parse((await place.run(["sessions", "list", "--server", url, "--json"])).stdout) as Listed)
    .sessions;
  const id = session?.id ?? "";
  const lines = readFileSync(join(root, "docs/api.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("curl "));
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) {
    const command = line.replace("127.0.0.1:7700", `127.0.0.1:${port}`).replace("7f3a", id.slice(0, 12));
    const { stdout } = await promisify(execFile)("sh", ["-c", command]);
    expect(JSON.parse(stdout), line).not.toHaveProperty("code");
  }
  expect((await place.run(["sessions", "show", id])).stdout).toContain("payments is slow");
  expect((await place.run(["investigate", "why?", "--server", url, "--detach"])).stdout).toMatch(/^[0-9a-f]{32}\n$/);

  server.kill("SIGTERM");
  expect(await server.ended).toMatchObject({ code: 0 });
  const away = await place.run(["sessions", "list", "--server", url]);
  expect(away).toMatchObject({ code: 1 });
  expect(away.stderr).toContain("is korvus serve running there?");
  await place.nothingIsLeft();
});

test("what a server has is exported, verified and resolved from elsewhere", {
  ...needs("git"),
  timeout: 120_000,
}, async () => {
  await using provider = await providerMock(lookThenReport);
  await using repository = await gitRepository({ "skills/a.md": skill("pinned", "OF THE COMMIT") });
  const workspaces = { payments: { repository: repository.path } };
  await using place = await korvusPlace({ mcp: { servers }, model: provider.modelOf(), workspaces });
  await using elsewhere = await korvusPlace(undefined);
  const server = place.start(["serve", "--listen", "127.0.0.1:0"]);
  const [, url = ""] = await server.until(/listening on (http:\/\/127\.0\.0\.1:\d+) /);
  const there = (args: readonly string[]) => elsewhere.run([...args, "--server", url]);

  expect((await there(["investigate", "why?", "--workspace", "payments"])).code).toBe(0);
  const [session] = await listed(place);
  const id = session?.id ?? "";

  const exported = await there(["sessions", "export", id.slice(0, 8)]);
  expect(exported.stdout).toBe((await place.run(["sessions", "export", id])).stdout);
  expect(await there(["sessions", "verify", id, "--repository", repository.path])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/prompt rebuilt from [0-9a-f]{7}: identical/),
  });
  const both = await there(["sessions", "verify", "--file", "s.jsonl"]);
  expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining("without a server") });
  const lost = await there(["sessions", "export", "ffffffffffff", "--output", "lost.jsonl"]);
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining("no session ffffffffffff") });

  expect((await there(["workspaces", "list"])).stdout).toMatch(/payments +HEAD +\S+/);
  const commit = repository.git("rev-parse", "HEAD");
  expect((await there(["workspaces", "resolve", "payments"])).stdout).toContain(commit);
  expect(JSON.parse((await there(["workspaces", "resolve", "payments@HEAD", "--json"])).stdout)).toEqual({
    workspace: "payments",
    ref: "HEAD",
    commit,
  });
  const nowhere = await there(["workspaces", "resolve", "payments@gone"]);
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("gone") });

  server.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

test("doctor looks at the store, the workspaces and the address to listen on", {
  ...needs("git"),
  timeout: 60_000,
}, async () => {
  await using repository = await gitRepository({ "skills/a.md": skill("pinned", "x") });
  const skills = { "skills/b.md": skill("deployed", "BODY") };
  await using good = await korvusPlace(
    { mcp: { servers }, workspaces: { payments: { repository: repository.path } } },
    skills,
  );
  await using bad = await korvusPlace(
    {
      mcp: { servers },
      workspaces: { ops: { repository: "gone" } },
      server: { listen: "0.0.0.0:7700" },
    },
    skills,
  );
  await using away = await korvusPlace(
    { mcp: { servers }, store: { url: "postgres://ana@127.0.0.1:1/korvus" } },
    skills,
  );

  const [fresh, faulty, storeless] = await Promise.all([good, bad, away].map((place) => place.run(["doctor"])));

  expect(fresh).toMatchObject({ code: 0 });
  expect(fresh?.stdout).toMatch(/✓ store +\.\/\.korvus\/korvus\.db, which the first session makes/);
  expect(fresh?.stdout).toContain(repository.git("rev-parse", "HEAD").slice(0, 12));
  expect(faulty).toMatchObject({ code: 1, stdout: expect.stringMatching(/✗ server .*server\.tokens/s) });
  expect(faulty?.stdout).toMatch(/✗ ops .*Korvus can investigate\./s);
  expect(storeless).toMatchObject({ code: 1, stdout: expect.stringMatching(/✗ store .*First store/s) });

  await good.run(["investigate", "why?", "--set", "service=x"]);
  expect((await good.run(["doctor"])).stdout).toMatch(/✓ store +\.\/\.korvus\/korvus\.db: 1 sessions ended/);
});

test("a server and a worker share a PostgreSQL", { ...needs("postgres"), timeout: 120_000 }, async () => {
  await using provider = await providerMock(lookThenReport);
  await using postgres = await startPostgres();
  const config = {
    mcp: { servers },
    model: provider.modelOf(),
    store: { url: postgres.url },
    limits: { sessions: 2, servers: { probe: { concurrent: 1 } } },
  };
  await using place = await korvusPlace(config);
  const worker = place.start(["worker"]);
  await worker.until(/takes sessions/);

  const local = await place.run(["investigate", "why?"]);
  const server = place.start(["serve", "--listen", "127.0.0.1:0"]);
  const [, url = ""] = await server.until(/listening on (http:\/\/127\.0\.0\.1:\d+) /);
  const remote = await place.run(["investigate", "why?", "--server", url]);

  expect([local.code, remote.code]).toEqual([0, 0]);
  expect(await listed(place)).toHaveLength(2);
  worker.kill("SIGTERM");
  server.kill("SIGTERM");
  expect([(await worker.ended).code, (await server.ended).code]).toEqual([0, 0]);
});

test.each<[string, readonly string[], string]>([
  ["an id that there is not", ["sessions", "show", "abcdef"], "no session abcdef"],
  ["a status that there is not", ["sessions", "list", "--status", "lost"], "waiting, running or ended"],
  ["a limit that is none", ["sessions", "list", "--limit", "0"], "a number from 1"],
  ["a file that is no export", ["sessions", "verify", "--file", "korvus.yaml"], "line 1"],
  ["a file that is not there", ["sessions", "verify", "--file", "nope"], "there is no file"],
  ["nothing to verify", ["sessions", "verify"], "what shall be verified?"],
  ["a workspace that there is not", ["investigate", "q", "--workspace", "nope"], "no workspace named nope"],
  ["an empty ref", ["workspaces", "resolve", "x@"], "NAME@REF"],
  ["a server that is no address", ["sessions", "list", "--server", "localhost:7700"], "no address"],
  ["a worker without PostgreSQL", ["worker"], "needs PostgreSQL"],
  ["an address to listen on that is none", ["serve", "--listen", "x"], "HOST:PORT"],
  ["an open address without a token", ["serve", "--listen", "0.0.0.0:0"], "server.tokens"],
])("%s is told, with what to do", async (_, args, message) => {
  await using place = await korvusPlace({ mcp: { servers } });

  const ended = await place.run(args);

  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain(message);
  expect(ended.stderr).not.toMatch(/unexpected|\.ts:/);
});

test("without any session it is said how to make one", async () => {
  await using place = await korvusPlace({ mcp: { servers } });

  const ended = await place.run(["sessions", "list"]);

  expect(ended).toMatchObject({ code: 0, stdout: "" });
  expect(ended.stderr).toContain("korvus investigate");
});
