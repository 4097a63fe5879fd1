import { describe, expect, test, vi } from "vitest";
import { width } from "../../src/cli/text.ts";
import { findProgram } from "../kit/findProgram.ts";
import { type Ended, korvusPlace } from "../kit/korvus.ts";
import { inTurn, providerMock, reporting } from "../kit/providerMock.ts";
import { thirdParty } from "../kit/thirdParty.ts";
import { odd, probe, runOutput, skill } from "./runOutput.ts";

// The processes of several runs share the machine with those of other tests.
vi.setConfig({ testTimeout: 90_000 });

/** The text of a terminal without its colours and without what is drawn over. */
function settled(text: string): readonly string[] {
  return text
    .replace(/\u001b\[\d+(?:;\d+)*m/g, "")
    .split(/\r?\n/)
    .map((line) => line.split("\r\u001b[2K").at(-1) ?? "");
}

/** Lines that are wider than they may be, those aside that hold but one word. */
function overflowing(lines: readonly string[], columns: number): readonly string[] {
  return lines.filter(
    (line) => width(line) > columns && /\S\s+\S/.test(line.trim().replace(/^(?:\d+|-|\[\d+\])\s+/, "")),
  );
}

const wordy = {
  calls: [
    {
      name: "report",
      arguments: {
        summary: `# Payments is slow\n\n${"Requests to payments take long since the deploy. ".repeat(5)}\n\n- ${"one point with many words ".repeat(6)}\n\n> ${"a quotation of somebody ".repeat(6)}\n\n| service | p95 | ${"heading ".repeat(9)}|\n|---|---|---|\n| payments | 631 ms | ${"cell ".repeat(20)}|\n\n1. 時計の問題 ${"支払いが遅い ".repeat(14)}`,
        verdict: "confirmed",
        findings: [
          {
            statement: "The 95th percentile of payments rose from 14 ms to 631 ms. ".repeat(3),
            evidence: [{ call: 1, server: "probe" }],
          },
          {
            statement: "Nothing shows this.",
            evidence: [
              { call: 9, server: "probe" },
              { call: 2, server: "a-server-with-another-name" },
            ],
          },
        ],
        next_steps: ["Roll the last deploy of payments back, and look at its connection pool afterwards. ".repeat(2)],
      },
    },
  ],
};
const script = inTurn(
  {
    text: "I look at payments first, since its callers all wait for it, and at everything that it calls itself.",
    calls: [
      { name: "probe_echo", arguments: { text: "a long argument with many words ".repeat(8) } },
      { name: "probe_fail" },
    ],
  },
  wordy,
);
const files = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`skills/${index}.md`, skill(`a-skill-with-number-${index}`, "probe")]),
);
const config = { mcp: { servers: { dies: odd("dies"), probe: probe() } } };

describe.concurrent("in a pipe", () => {
  test("progress is one plain line an event on stderr, the report alone is on stdout, at most 80 columns wide", async () => {
    await using provider = await providerMock(script);
    await using place = await korvusPlace({ ...config, model: provider.modelOf() }, files);

    const { code, stdout, stderr } = await place.run(["investigate", "why is payments slow?"]);

    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(/[\u001b\r]/);
    expect(overflowing(stdout.split("\n"), 80)).toEqual([]);
    expect(overflowing(stderr.split("\n"), 80).filter((line) => !/dies/.test(line))).toEqual([]);
    const kinds = stderr.split("\n").map((line) => line.trim().split(/\s+/)[0]);
    expect(kinds.filter((kind) => kind === "server")).toHaveLength(2);
    for (const kind of ["skills", "window", "model", "1", "2"])
      expect(
        kinds.filter((word) => word === kind),
        kind,
      ).toHaveLength(1);
    expect(stdout).toMatch(/^ {2}LIKELY {2}\(the model said confirmed\) +[\d.]+s, 2 calls$/m);
    expect(stdout).toContain("unsupported: call 9 was never made");
    expect(stdout).toMatch(/dies: not connected \(the server exited with code 3/);
  });

  test("colours come only when they are forced, and never with NO_COLOR", async () => {
    await using provider = await providerMock(inTurn(reporting("inconclusive")));
    await using place = await korvusPlace({ ...config, model: provider.modelOf() });

    const [forced, refused] = (await Promise.all(
      [{ FORCE_COLOR: "1" }, { FORCE_COLOR: "1", NO_COLOR: "1" }].map((env) =>
        place.run(["investigate", "q"], { env }),
      ),
    )) as [Ended, Ended];

    expect(forced.stdout).toContain("\u001b[");
    expect(forced.stdout).not.toContain("\u001b[2K");
    expect(refused.stdout + refused.stderr).not.toContain("\u001b");
  });

  test("--json is JSON alone, the same for a run as for every list", async () => {
    await using provider = await providerMock(script);
    await using place = await korvusPlace({ ...config, model: provider.modelOf() }, files);
    const commands = [
      ["skills", "list"],
      ["skills", "show", "a-skill-with-number-3"],
      ["skills", "prompt"],
      ["mcp", "list"],
      ["mcp", "tools", "probe"],
      ["mcp", "call", "probe", "echo", '{"text":"x"}'],
      ["config", "check"],
      ["doctor"],
    ];

    const ended = await Promise.all(commands.map((command) => place.run([...command, "--json"])));

    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 0, 2]);
    for (const { stdout } of ended) expect(JSON.parse(stdout)).toBeTypeOf("object");
    expect(JSON.parse(ended[3]?.stdout ?? "")).toMatchObject({
      servers: [
        { name: "dies", state: "failed", reason: expect.stringContaining("exited with code 3") },
        { name: "probe", state: "connected", info: { server: "probe 1.0.0" } },
      ],
    });
    expect(JSON.parse(ended[7]?.stdout ?? "")).toMatchObject({ verdict: expect.stringContaining("dies") });
  });
});

/** Runs the command on a pseudo-terminal of so many columns. */
async function onTerminal(columns: number, args: readonly string[], policy = script): Promise<string> {
  await using provider = await providerMock(policy);
  await using place = await korvusPlace({ ...config, model: provider.modelOf() }, files);
  const { code, stdout, stderr } = await place.startOnTerminal(args, columns).ended;
  expect(code, stdout + stderr).toBe(0);
  return stdout;
}

describe.concurrent("on a terminal", { skip: findProgram("script") === undefined && !process.env["CI"] }, () => {
  test.each([40, 80, 200])(
    "of %i columns the report is not wider, and nothing but colours is drawn",
    async (columns) => {
      const text = await onTerminal(columns, ["investigate", "why is payments slow?"]);

      const lines = settled(text);
      const report = lines.slice(lines.findIndex((line) => line.includes("LIKELY")));
      expect(overflowing(report, columns)).toEqual([]);
      expect(text).toContain("\u001b[");
      expect(text.replace(/\u001b\[(?:\d+(?:;\d+)*m|2K)/g, "")).not.toContain("\u001b");
      expect(lines.join("\n")).toContain("LIKELY");
    },
  );
});

describe.concurrent("the commands", () => {
  test("every command explains itself, and those that take something show an example", async () => {
    await using place = await korvusPlace(undefined);
    const withExample = ["", "investigate", "skills list", "skills show", "skills prompt", "mcp tools", "mcp call"];
    const plain = ["skills", "mcp", "mcp list", "config", "config check", "config schema", "doctor"];

    for (const command of [...withExample, ...plain]) {
      const { code, stdout, stderr } = await place.run([...command.split(" ").filter(Boolean), "--help"]);
      expect([code, stderr], command).toEqual([0, ""]);
      expect(stdout).toMatch(/^Usage: korvus/);
      if (withExample.includes(command)) expect(stdout, command).toMatch(/Examples?:\n {2}korvus /);
      // Options and arguments are told in a sentence each.
      expect(stdout.split("\n").filter((line) => /^ {2}(?:-|\[|<)\S+$/.test(line))).toEqual([]);
    }
    expect((await place.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await place.run(["investigat"])).toMatchObject({ code: 1, stderr: expect.stringMatching(/investigate/) });
    expect(await place.run([])).toMatchObject({ code: 1, stderr: expect.stringContaining("Examples:") });
  });

  test("mcp list, tools and call work on servers that nobody here wrote, and refuse what they should", async () => {
    await using place = await korvusPlace({
      mcp: { servers: { everything: thirdParty.everything, gone: { command: "no-such-program" }, odd: odd("plain") } },
    });
    const call = (...args: readonly string[]) => place.run(["mcp", "call", ...args]);

    const [list, tools, one, said, denied, allowed, failing, noTool, noServer, notConnected, notJson, list2] =
      await Promise.all([
        place.run(["mcp", "list"]),
        place.run(["mcp", "tools"]),
        place.run(["mcp", "tools", "odd"]),
        call("everything", "echo", '{"message":"hello"}', "--yes"),
        call("odd", "note"),
        call("everything", "get-sum", '{"a":2,"b":40}', "--yes"),
        call("odd", "fails"),
        call("odd", "invented"),
        call("nobody", "x"),
        call("gone", "x"),
        call("odd", "echo", "{a: 1}"),
        call("odd", "echo", "[1]"),
      ]);

    expect(list).toMatchObject({ code: 0 });
    expect(list.stdout).toMatch(/^ {2}everything +stdio +connected +\d+ +[\d.]+s +.*everything/m);
    expect(list.stdout).toMatch(/^ {2}gone +stdio +failed +0 .*command not found: no-such-program/m);
    expect(tools.stdout).toMatch(/^ {2}everything +echo +\w+ +\S/m);
    expect(one.stdout).not.toContain("everything");
    expect(said).toMatchObject({ code: 0, stdout: "Echo: hello\n" });
    expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining("--yes calls it all the same") });
    expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining("42") });
    expect(failing).toMatchObject({ code: 1, stdout: "it is broken\n", stderr: expect.stringMatching(/error after/) });
    expect(noTool).toMatchObject({ code: 1, stderr: expect.stringContaining("odd has no tool named invented") });
    expect(noServer).toMatchObject({ code: 1, stderr: expect.stringContaining("there are: everything, gone, odd") });
    expect(notConnected).toMatchObject({ code: 1, stderr: expect.stringContaining("command not found") });
    expect(notJson).toMatchObject({ code: 1, stderr: expect.stringContaining("the arguments are not JSON") });
    expect(list2).toMatchObject({ code: 1, stderr: expect.stringContaining("must be a JSON object") });
  });

  test("doctor says what is in order, what is not, and what to do first", async () => {
    await using good = await korvusPlace({ mcp: { servers: { probe: probe() } }, model: "ollama/x" }, files);
    await using bad = await korvusPlace(config, { "skills/a.md": "broken" });
    await using partial = await korvusPlace(
      { mcp: { servers: { probe: probe(), gone: { command: "no-such" } } } },
      files,
    );
    await using empty = await korvusPlace(undefined);
    await using unreadable = await korvusPlace({
      mcp: { servers: { past: { recording: "gone.jsonl" } } },
      model: "ollama/x",
    });

    const [inOrder, broken, some, nothing, noRecording] = (await Promise.all(
      [good, bad, partial, empty, unreadable].map((place) => place.run(["doctor"])),
    )) as [Ended, Ended, Ended, Ended, Ended];

    expect(inOrder).toMatchObject({ code: 0, stderr: "" });
    expect(inOrder.stdout).toContain("Everything is in order: korvus investigate will work.");
    expect(broken.code).toBe(1);
    for (const words of ["✓ model", "✗ dies", "✓ probe", "✗ skills", "a.md:1:1", "First skills: correct the files"])
      expect(broken.stdout).toContain(words);
    expect(some).toMatchObject({ code: 2, stdout: expect.stringContaining("✓ model          runbook") });
    expect(some.stdout).toContain(
      "Korvus can investigate. To get more out of it, gone: install it, or write its whole path",
    );
    expect(nothing).toMatchObject({ code: 1, stdout: expect.stringContaining("no korvus.yaml here or above") });
    expect(noRecording).toMatchObject({ code: 1, stdout: expect.stringMatching(/✗ recording .*gone\.jsonl/) });
    expect(noRecording.stdout).toContain("Korvus cannot investigate yet. First recording:");
  });

  test("an option of the command line counts more than the configuration", async () => {
    await using provider = await providerMock(inTurn(reporting("inconclusive")));
    await using place = await korvusPlace(
      { mcp: { servers: { probe: probe() } }, model: { ...provider.modelOf(), name: "configured" } },
      { "skills/a.md": skill("configured", "probe"), "other/a.md": skill("other", "probe"), "below/x": "" },
    );

    const [own, other, below] = await Promise.all([
      place.run(["investigate", "q", "--json"]),
      place.run(["investigate", "q", "--json", "--skills", "other"]),
      place.run(["skills", "list", "--json"], { cwd: `${place.path}/below` }),
    ]);

    const names = ({ stdout }: Ended) => (JSON.parse(stdout) as { skills: { name: string }[] }).skills[0]?.name;
    expect(runOutput(own).run.model.id).toContain("configured");
    expect(runOutput(other).report.catalog.digest).not.toBe(runOutput(own).report.catalog.digest);
    expect(names(below)).toBe("configured");
    expect(provider.requests.map(({ body }) => body.includes("How to other"))).toContain(true);
  });
});
