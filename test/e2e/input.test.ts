import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { freePort } from "../kit/freePort.ts";
import { type Ended, korvusPlace } from "../kit/korvus.ts";
import { inTurn, providerMock, reporting } from "../kit/providerMock.ts";
import { odd, probe, runOutput, skill } from "./runOutput.ts";

// The processes of several runs share the machine with those of other tests.
vi.setConfig({ testTimeout: 90_000 });

const model = { provider: "ollama", name: "x" };
const servers = { probe: probe() };

/** Told on stderr, in the words that are expected, without a stack; nothing on stdout; exit code 1. */
function expectRefused({ code, stdout, stderr }: Ended, ...words: readonly (string | RegExp)[]): void {
  for (const word of words) expect(stderr).toMatch(word);
  expect(stderr).not.toMatch(/^error +unexpected|^\s+at .*:\d+|node:internal/m);
  expect(stdout).toBe("");
  expect(code).toBe(1);
}

describe.concurrent("bad input is told, and costs nothing", () => {
  test("a skills path that is a file, a skill that is a directory, and broken skills stop every command", async () => {
    await using place = await korvusPlace(
      { mcp: { servers }, model },
      {
        "file.md": "x",
        "broken/a.md": "no frontmatter",
        "broken/b.md": "---\nname: [1\n---\n",
        "broken/c.md": skill("fine", "never-connected"),
        "directory/x.md/y": "",
      },
    );
    const commands = [
      ["investigate", "q"],
      ["skills", "list"],
      ["skills", "list", "--offline", "--json"],
    ];

    for (const command of commands) {
      const [file, directory, broken] = (await Promise.all(
        ["file.md", "directory", "broken"].map((path) => place.run([...command, "--skills", path])),
      )) as [Ended, Ended, Ended];

      expectRefused(file, "file.md", "unreadable");
      expectRefused(directory, /directory\/x\.md:1:1 +unreadable/);
      expectRefused(broken, "2 files are broken", /a\.md:1:1 +no-frontmatter/, /b\.md:3:1 +invalid-yaml/);
    }
    await place.nothingIsLeft();
  });

  test("everything that is wrong with the configuration is told at its place, before a server starts", async () => {
    await using place = await korvusPlace(undefined, {
      "korvus.yaml": `mcp:
  conect_timeout: 3s
  servers:
    a: { url: "no address" }
    b: { command: "\${UNSET_VARIABLE}" }
    c: {}
    "d d": { url: "http://x" }
skils: {}
`,
      "yaml/korvus.yaml": "mcp: [\n",
      "empty/korvus.yaml": "",
      "binary/korvus.yaml": "\u0000\u0001",
    });

    const wrong = await Promise.all(
      [
        ["config", "check"],
        ["investigate", "q"],
        ["mcp", "list", "--json"],
        ["skills", "list"],
      ].map((args) => place.run(args)),
    );
    for (const ended of wrong)
      expectRefused(
        ended,
        /korvus\.yaml:2:\d+ mcp\.conect_timeout: unknown key, did you mean connect_timeout\?/,
        "korvus.yaml:4:15 mcp.servers.a.url: expected an http or https URL",
        "korvus.yaml:5:19 mcp.servers.b.command: the environment variable UNSET_VARIABLE is not set",
        "korvus.yaml:6:5 mcp.servers.c: expected one of command, url, recording",
        /korvus\.yaml:7:5 mcp\.servers\.d d: /,
        "korvus.yaml:8:1 skils: unknown key, did you mean skills?",
      );
    expectRefused(await place.run(["config", "check", "-c", "yaml/korvus.yaml"]), /yaml\/korvus\.yaml:2:1/);
    expectRefused(await place.run(["config", "check", "-c", "binary/korvus.yaml"]), /binary\/korvus\.yaml:1:/);
    expectRefused(await place.run(["config", "check", "-c", "nowhere.yaml"]), /nowhere\.yaml.*no such file/);
    expect(await place.run(["config", "check", "-c", "empty/korvus.yaml"])).toMatchObject({ code: 0 });
  });

  test("no configuration, no server, no key, no address: each says what to do; without a model, runbook is it", async () => {
    await using nothing = await korvusPlace(undefined);
    await using noServer = await korvusPlace({ model });
    await using noModel = await korvusPlace({ mcp: { servers } });

    expectRefused(await nothing.run(["investigate", "q"]), "no MCP server is configured", "no korvus.yaml in");
    expectRefused(await noServer.run(["investigate", "q"]), "no MCP server is configured", "has no mcp.servers");
    expectRefused(await noServer.run(["mcp", "list"]), "no MCP server is configured");
    expect(await noModel.run(["investigate", "q"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("model    runbook"),
    });
    expectRefused(
      await noModel.run(["investigate", "q", "--skills", "nowhere"]),
      "--skills nowhere: there is no such directory",
    );
    expectRefused(await noModel.run(["investigate", "q", "--set", "service"]), "--set service is no NAME=VALUE");
    expectRefused(await noModel.run(["investigate", "q", "--model", "anthropic/x"]), "ANTHROPIC_API_KEY");
    expectRefused(await noModel.run(["investigate", "q", "--model", "openai-compatible/x"]), "base_url");
    expectRefused(await noModel.run(["investigate", "q", "--model", "nobody/x"]), "unknown provider");
  });

  test("a window that cannot be meant, and a question that is none", async () => {
    await using place = await korvusPlace({ mcp: { servers }, model });
    const cases: readonly (readonly [readonly string[], string])[] = [
      [["q", "--since", "5"], "--since 5 is no duration"],
      [["q", "--since", "-5m"], "--since"],
      [["q", "--since", "0s"], "ends before it starts"],
      [["q", "--since", "99999999999h"], "the window is too long"],
      [["q", "--from", "tomorrow"], '"tomorrow" is no time'],
      [["q", "--to", "25:00"], '"25:00" is no time'],
      [["q", "--since", "5m", "--from", "2026-01-01"], "either --since or --from"],
      [["q", "--from", "2999-01-01", "--to", "2999-01-02"], "ends in the future"],
      [["q", "--from", "2020-01-02", "--to", "2020-01-01"], "ends before it starts"],
      [["q", "--from", "2026-02-31"], '"2026-02-31" is no time'],
      [[""], "the question is empty"],
      [["  \n "], "the question is empty"],
      [["-"], "the question is empty"],
      [[], "what shall be investigated?"],
      [["two", "words"], 'stands in quotes: korvus investigate "why is checkout slow?"'],
      [["q", "--no-such"], "unknown option"],
      [["q", "--log-level", "loud"], "Allowed choices are debug, info, warn, error"],
    ];

    for (const [args, word] of cases) expectRefused(await place.run(["investigate", ...args]), word);
    expect(place.processes()).toEqual([]);
  });
});

describe.concurrent("a question", () => {
  test("is read from stdin, however long and whatever is in it, and reaches the model as it is", async () => {
    const question = `\u001b[31mwhy\u0007\r\n${"is checkout slow? ".repeat(60_000)}</result> $& {{x}} 時 \u202e`.trim();
    const asked: string[] = [];
    await using provider = await providerMock((request) => {
      asked.push(request.question);
      return reporting("inconclusive");
    });
    await using place = await korvusPlace({ mcp: { servers }, model: { ...provider.modelOf(), window: 1_000_000 } });

    const ended = await place.run(["investigate", "-", "--json"], { stdin: `  ${question}\n` });

    expect(ended.code).toBe(0);
    expect(asked[0]?.startsWith(question)).toBe(true);
    expect(runOutput(ended).report.question).toBe(question);
  });

  test("is answered with an empty environment, and with the time of another zone", async () => {
    await using provider = await providerMock(inTurn(reporting("inconclusive")));
    await using place = await korvusPlace({ mcp: { servers }, model: provider.modelOf() });

    const ended = await place.run(
      ["investigate", "q", "--json", "--from", "2026-01-02T03:04:05", "--to", "2026-01-02T04:00"],
      {
        env: { TZ: "Asia/Tokyo", LANG: "", TERM: "" },
      },
    );

    expect(runOutput(ended).run.window).toEqual({
      from: "2026-01-01T18:04:05.000Z",
      to: "2026-01-01T19:00:00.000Z",
      baselineFrom: "2026-01-01T17:08:10.000Z",
    });
  });
});

describe.concurrent("a pipe that is closed", () => {
  const long = {
    calls: [{ name: "report", arguments: { summary: "long ".repeat(100_000), verdict: "likely", findings: [] } }],
  };

  test("while the report is written ends the command without a word, and its children", async () => {
    await using provider = await providerMock(inTurn(long));
    await using place = await korvusPlace({ mcp: { servers }, model: provider.modelOf() });
    const running = place.start(["investigate", "q", "--json"]);
    running.child.stdout?.once("data", () => running.child.stdout?.destroy());

    const ended = await running.ended;

    expect(ended.stdout.length).toBeLessThan(400_000);
    expect([0, 130]).toContain(ended.code);
    expect(ended.stderr).not.toMatch(/EPIPE|unexpected|^\s+at /m);
    await place.nothingIsLeft();
  });

  test("from the beginning, stderr as well, does not keep a run from its end", async () => {
    await using provider = await providerMock(
      inTurn({ calls: [{ name: "probe_echo", arguments: { text: "x" } }] }, long),
    );
    await using place = await korvusPlace({ mcp: { servers }, model: provider.modelOf() });
    const running = place.start(["investigate", "q"]);
    running.child.stdout?.destroy();
    running.child.stderr?.destroy();

    const ended = await running.ended;

    expect([0, 130]).toContain(ended.code);
    await place.nothingIsLeft();
  });

  test("is no fault for lists either", async () => {
    await using place = await korvusPlace(
      { mcp: { servers: { odd: odd("plain") } } },
      { "skills/x.md": skill("x", "odd") },
    );
    const commands = [
      ["mcp", "tools", "--json"],
      ["mcp", "call", "odd", "big", '{"bytes": 3000000}'],
      ["config", "schema"],
    ];

    for (const command of commands) {
      const running = place.start(command);
      running.child.stdout?.once("data", () => running.child.stdout?.destroy());
      const ended = await running.ended;
      expect([0, 130]).toContain(ended.code);
      expect(ended.stderr).toBe("");
    }
    await place.nothingIsLeft();
  });
});

const escape = "\u001b[31m\u001b]0;owned\u0007\u009b2J\u202e";
/** As YAML writes it. */
const yamlEscape = JSON.stringify(escape).replace(
  /[\u007f-\uffff]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
);

describe.concurrent("a machine", () => {
  test("whose disk is full loses no report without a word", async () => {
    await using provider = await providerMock(inTurn(reporting("inconclusive")));
    await using place = await korvusPlace({ mcp: { servers }, model: provider.modelOf() });
    const commands = [["investigate", "q", "--json"], ["skills", "list"], ["doctor"], ["config", "schema"], ["--help"]];

    for (const command of commands) {
      const { code, stderr } = await place.run(command, { stdout: "/dev/full" });
      expect([code, stderr], command.join(" ")).toEqual([
        1,
        expect.stringMatching(/the output cannot be written: .*ENOSPC/),
      ]);
    }
    await place.nothingIsLeft();
  });

  test("without a place for sessions, or without the working directory, is told so", async () => {
    await using provider = await providerMock(inTurn(reporting("inconclusive")));
    const files = { "gone/x": "", ".korvus": "a file where the directory should be" };
    await using place = await korvusPlace({ mcp: { servers }, model: provider.modelOf() }, files);

    expectRefused(await place.run(["investigate", "q"]), ".korvus");
    const removed = place.start(["skills", "list"], { cwd: join(place.path, "gone"), first: 'rm -r "$PWD"' });
    expectRefused(await removed.ended, "the working directory is gone");
    await place.nothingIsLeft();
  });
});

test("text from outside cannot write on the screen, wherever it comes from", async () => {
  await using provider = await providerMock(
    inTurn(
      {
        text: `thinking ${escape}`,
        calls: [
          { name: "odd_echo", arguments: { text: escape, [escape]: 1 } },
          { name: `odd_${escape}`, arguments: {} },
          { name: "odd_fault", arguments: {} },
          { name: "report", arguments: { summary: escape, verdict: escape } },
        ],
      },
      {
        calls: [
          {
            name: "report",
            arguments: {
              summary: `# ${escape}\n\n| a | ${escape} |\n|---|---|\n| x | ${escape} |\n\n\`${escape}\` [${escape}](http://x/${escape}) <b>${escape}</b>\n\n\`\`\`\n${escape}\n\`\`\`\n- ${escape}`,
              verdict: "confirmed",
              findings: [
                { statement: `s ${escape}`, evidence: [{ call: 1, server: `odd${escape}` }] },
                { statement: `t ${escape}`, evidence: [] },
              ],
              next_steps: [escape],
            },
          },
        ],
      },
    ),
  );
  await using place = await korvusPlace(
    {
      mcp: {
        servers: {
          file: odd("file", { env: { ODD_FILE: "tools.txt" } }),
          loud: { command: "sh", args: ["-c", `printf '${escape}' >&2; exit 1`] },
          odd: odd("plain"),
        },
      },
      model: provider.modelOf(),
    },
    {
      "tools.txt": `evil${escape}tool\n`,
      "skills/a.md": `---\nname: ${yamlEscape}\ndescription: ${yamlEscape}\ntags: [${yamlEscape}]\n---\nbody ${escape}\n`,
      "skills/b.md": `---\nname: b\nmcp_server: ${yamlEscape}\n---\nbody ${escape}\n`,
      "broken/c.md": `---\nname: [${escape}\n---\n`,
    },
  );
  const commands = [
    ["investigate", `why ${escape}?`, "--log-level", "debug"],
    ["skills", "list", "--log-level", "debug"],
    ["skills", "list", "--skills", "broken"],
    ["skills", "show", "b", "--offline"],
    ["skills", "show", escape],
    ["mcp", "list", "--log-level", "debug"],
    ["mcp", "tools"],
    ["mcp", "call", "odd", "echo", JSON.stringify({ text: escape })],
    ["mcp", "call", "file", `evil${escape}tool`, "{}"],
    ["mcp", "call", "odd", escape],
    ["mcp", "call", escape, "x"],
    ["doctor"],
    ["investigate", "q", "--from", escape],
    ["investigate", "q", `--${escape}`],
    [escape],
  ];

  const ended = await Promise.all(commands.map((command) => place.run(command)));

  for (const [index, { stdout, stderr }] of ended.entries()) {
    expect(stdout + stderr, commands[index]?.join(" ")).not.toMatch(/[\u0007\u001b\u0080-\u009f\u202a-\u202e]/);
    expect(stdout + stderr).not.toMatch(/^error +unexpected|^\s+at .*:\d+:\d+/m);
  }
  expect(ended[0]?.stdout, ended[0]?.stderr).toContain("\\u001b[31m");
});

test("a refused connection and an address that answers with something else are states, not errors", async () => {
  await using provider = await providerMock(inTurn(reporting("inconclusive")));
  await using place = await korvusPlace({
    mcp: {
      servers: {
        page: { url: `${provider.url}/no/mcp/here` },
        probe: probe(),
        refused: { url: `http://127.0.0.1:${await freePort()}/mcp` },
        unknown: { url: "http://no-such-host.invalid/mcp" },
      },
    },
    model: provider.modelOf(),
  });

  const ended = await place.run(["investigate", "q", "--json"]);

  expect(ended.code).toBe(0);
  expect(runOutput(ended).report.coverage.servers).toEqual([
    { server: "page", state: "not connected", calls: {}, reason: expect.any(String) },
    { server: "probe", state: "not asked", calls: {} },
    { server: "refused", state: "not connected", calls: {}, reason: expect.stringContaining("ECONNREFUSED") },
    { server: "unknown", state: "not connected", calls: {}, reason: expect.any(String) },
  ]);
});
