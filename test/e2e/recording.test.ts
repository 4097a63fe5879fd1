import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { endProcess, type KorvusPlace, korvusPlace } from "../kit/korvus.ts";
import { type Answer, inTurn, type ModelPolicy, providerMock, reporting } from "../kit/providerMock.ts";
import { ordinaryAnswer, startHttp } from "../mcp/startHttp.ts";
import { odd, patiently, probe, type RunOutput, runOutput, skill } from "./runOutput.ts";

// The processes of several runs share the machine with those of other tests.
vi.setConfig({ testTimeout: 90_000 });

const ask = ["investigate", "why is checkout slow?", "--json"];
const skills = { "skills/one.md": skill("one", "one"), "skills/two.md": skill("two", "two") };

/** Calls of two servers, each with two arguments or more where the tool takes them. */
const calls: readonly (readonly [name: string, args: Readonly<Record<string, unknown>>])[] = [
  ["one_echo", { text: "first", more: { a: 1, b: [2, 3] } }],
  ["one_echo", { text: "second", more: null }],
  ["one_empty", {}],
  ["two_fail", {}],
  ["two_big", { lines: 4000 }],
];
const asking: Answer = { calls: calls.map(([name, args]) => ({ name, arguments: args })) };
const cited = [
  [1, "one"],
  [2, "one"],
  [3, "one"],
  [4, "two"],
  [5, "two"],
] as const;
/** Quotes what it read, so that another answer would be another report. */
const quoting: ModelPolicy = ({ results }) => {
  const report = reporting("likely", ...cited).calls?.[0]?.arguments as object;
  const summary = results.map(({ outcome, text }) => `${outcome}: ${text.slice(0, 40)}`).join("\n");
  return { calls: [{ name: "report", arguments: { ...report, summary } }] };
};
const script = inTurn(asking, { calls: [{ name: "read_result", arguments: { call: 5, offset: 60_000 } }] }, quoting);

/** A recording of `script`, and the output of the run that made it. */
async function recorded(policy: ModelPolicy = script) {
  await using provider = await providerMock(policy);
  await using place = await korvusPlace(
    { mcp: { servers: { one: probe(), two: probe() } }, model: provider.modelOf() },
    skills,
  );
  const ended = await place.run([...ask, "--record", "incident.jsonl", "--from", "2026-01-02T03:04:05Z"]);
  const file = join(place.path, "incident.jsonl");
  return { output: runOutput(ended), text: await readFile(file, "utf8"), mode: (await stat(file)).mode & 0o777 };
}

/** The run again, from a recording with the given lines. */
async function replayed(
  text: string,
  { policy = script, servers = ["one", "two"] }: { policy?: ModelPolicy; servers?: string[] } = {},
) {
  await using provider = await providerMock(policy);
  const config = {
    mcp: { servers: Object.fromEntries(servers.map((name) => [name, { recording: "incident.jsonl" }])) },
  };
  await using place = await korvusPlace(
    { ...config, model: provider.modelOf() },
    { ...skills, "incident.jsonl": text },
  );
  return await place.run([...ask, "--from", "2026-01-02T03:04:05Z"]);
}

function linesOf(text: string): readonly [header: string, ...rest: string[]] {
  return text.trimEnd().split("\n") as [string, ...string[]];
}

describe("a run that was recorded", () => {
  let [output, text, mode]: [RunOutput, string, number] = [{} as RunOutput, "", 0];
  let [header, ...lines]: readonly string[] = [""];
  beforeAll(async () => {
    ({ output, text, mode } = await recorded());
    [header, ...lines] = linesOf(text);
  });

  test("is a file that only its owner reads, a header first, with every listing and call", () => {
    expect(mode).toBe(0o600);
    expect(JSON.parse(header as string)).toMatchObject({ type: "recording", v: 1 });
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      "listing",
      "listing",
      ...calls.map(() => "call"),
    ]);
    expect(output.report.findings.map(({ status }) => status)).toEqual([
      "supported",
      "supported",
      "unsupported",
      "unsupported",
      "supported",
    ]);
  });

  test("gives the same report byte for byte, with the same window, whatever the order of lines and keys", async () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, item]) => [key, reversed(item)]),
      );
    };
    const turned = { calls: calls.map(([name, args]) => ({ name, arguments: reversed(args) as object })) };
    const again = inTurn(turned, { calls: [{ name: "read_result", arguments: { offset: 60_000, call: 5 } }] }, quoting);

    const runs = await Promise.all([
      replayed(text),
      replayed([header, ...lines.toReversed()].join("\n"), { policy: again }),
    ]);

    for (const ended of runs) {
      const { report, run } = runOutput(ended);
      expect(ended.code).toBe(0);
      expect(JSON.stringify(report)).toBe(JSON.stringify(output.report));
      expect(run.window).toEqual(output.run.window);
      expect(run.fingerprints).toEqual(output.run.fingerprints);
      expect(run.prompt).toEqual(output.run.prompt);
    }
  });

  test("has exactly one explicit miss when one call is removed, and never an empty result", async () => {
    const without = lines.filter((line) => !line.includes('"second"'));
    expect(without).toHaveLength(lines.length - 1);

    const ended = await replayed([header, ...without].join("\n"));

    expect(ended.code).toBe(0);
    const { report, run } = runOutput(ended);
    expect(run.calls.map(({ outcome }) => outcome)).toEqual(["ok", "error", "empty", "error", "ok", "ok", "ok"]);
    expect(report.summary.match(/not in this recording/g)).toHaveLength(1);
    expect(report.findings[1]).toMatchObject({ status: "unsupported", problems: ["call 2 failed"] });
  });

  test("does not connect a server that it does not hold, and says which it holds", async () => {
    const ended = await replayed(text, { servers: ["one", "three", "two"] });

    expect(ended.code).toBe(0);
    expect(runOutput(ended).report.coverage.servers[1]).toMatchObject({
      server: "three",
      state: "not connected",
      reason: expect.stringMatching(/incident\.jsonl holds no server named three; it holds one, two$/),
    });
  });

  test.each([
    ["cut within a line", () => text.slice(0, -20), /incident\.jsonl:8 is not JSON \(was the recording cut off\?\)/],
    ["without its header", () => lines.join("\n"), /incident\.jsonl is no recording: its first line must be/],
    ["empty", () => "", /incident\.jsonl is no recording/],
    ["of another kind", () => `${header}\n{"type":"call"}`, /incident\.jsonl:2 is no line of a recording/],
  ])("is refused when it is %s, with exit code 1 and the place", async (_, content, message) => {
    const ended = await replayed(content());

    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toMatch(/unexpected|^\s+at /m);
  });
});

test("what failed when it was recorded fails in the same way on replay", async () => {
  const kill = async (place: KorvusPlace, mark: string) => {
    const found = await patiently(mark, () => place.processes().find(({ command }) => command.includes(mark)));
    endProcess(found.pid, "SIGKILL");
  };
  const policy = (live?: () => KorvusPlace) =>
    inTurn(
      async () => {
        if (live) {
          await kill(live(), "once-only");
          await delay(200);
          void delay(700).then(() => kill(live(), "killed-in-flight"));
        }
        return {
          calls: [
            { name: "once_echo", arguments: { text: "x" } },
            { name: "slow_slow", arguments: { ms: 30_000 } },
            { name: "writing_write_slowly", arguments: { ms: 30_000 } },
          ],
        };
      },
      ({ results }) => {
        const { calls } = reporting("likely", [1, "once"], [2, "slow"], [3, "writing"]);
        const summary = results.map(({ outcome, text }) => `${outcome}: ${text}`).join("\n");
        return { calls: [{ name: "report", arguments: { ...(calls?.[0]?.arguments as object), summary } }] };
      },
    );
  const names = ["absent", "once", "slow", "writing"];
  const files = Object.fromEntries(names.map((name) => [`skills/${name}.md`, skill(name, name)]));
  const { command, args } = probe() as { command: string; args: string[] };
  const onlyOnce = `test -e started && exit 1; touch started; exec "$@"`;
  const rest = { policy: { allow: ["writing.*"] } };

  await using provider = await providerMock(policy(() => live));
  await using live = await korvusPlace(
    {
      mcp: {
        call_timeout: "1500ms",
        servers: {
          absent: odd("dies"),
          once: { command: "sh", args: ["-c", onlyOnce, "sh", command, ...args, "once-only"] },
          slow: probe(),
          writing: probe({ args: [...args, "killed-in-flight"] }),
        },
      },
      model: provider.modelOf(),
      ...rest,
    },
    files,
  );
  const before = await live.run([...ask, "--record", "incident.jsonl"]);
  await using replaying = await providerMock(policy());
  const recording = join(live.path, "incident.jsonl");
  const servers = Object.fromEntries(names.map((name) => [name, { recording }]));
  await using place = await korvusPlace({ mcp: { servers }, model: replaying.modelOf(), ...rest }, files);

  const after = await place.run(ask);

  expect(runOutput(before).report).toMatchObject({
    skillsUsed: ["slow", "writing"],
    coverage: {
      servers: [
        { state: "not connected" },
        { state: "failed", calls: { error: 1 } },
        { state: "failed", calls: { timeout: 1 } },
        { state: "failed", calls: { unknown: 1 } },
      ],
    },
  });
  const said = ({ stdout }: typeof before) => runOutput({ ...before, stdout }).report;
  expect(said(after).summary).toBe(said(before).summary);
  expect(said(after).skillsUsed).toEqual(said(before).skillsUsed);
  expect(said(after).coverage.servers.slice(1)).toEqual(said(before).coverage.servers.slice(1));
  expect(said(after).coverage.servers[0]?.reason).toContain(said(before).coverage.servers[0]?.reason);
  expect([before.code, after.code]).toEqual([2, 2]);
});

describe.concurrent("a file to record to", () => {
  test("that exists is never overwritten", async () => {
    await using place = await korvusPlace(
      { mcp: { servers: { one: probe() } }, model: { provider: "ollama", name: "x" } },
      { "incident.jsonl": "the only trace of it" },
    );

    const ended = await place.run([...ask, "--record", "incident.jsonl"]);

    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("the file exists, and a recording is never overwritten: give another name");
    expect(await readFile(join(place.path, "incident.jsonl"), "utf8")).toBe("the only trace of it");
  });

  test("that cannot be made is told, with exit code 1", async () => {
    await using place = await korvusPlace({
      mcp: { servers: { one: probe() } },
      model: { provider: "ollama", name: "x" },
    });

    const ended = await place.run([...ask, "--record", "no/such/directory/incident.jsonl"]);

    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/cannot record to .*incident\.jsonl: .*no such file or directory/i);
    expect(ended.stderr).not.toContain("unexpected");
  });

  test("is not left behind by a start that fails, so that the same command works once the fault is mended", async () => {
    await using provider = await providerMock(inTurn(reporting("inconclusive")));
    await using place = await korvusPlace(
      { mcp: { servers: { one: probe() } }, model: provider.modelOf() },
      { "skills/broken.md": "no frontmatter" },
    );
    const command = [...ask, "--record", "incident.jsonl"];

    const broken = await place.run(command);
    await writeFile(join(place.path, "skills/broken.md"), skill("mended", "one"));
    const future = await place.run([...command, "--from", "2999-01-01"]);
    const mended = await place.run(command);

    expect([broken.code, future.code, mended.code]).toEqual([1, 1, 0]);
    expect(future.stderr).toContain("the window ends before it starts");
    expect(linesOf(await readFile(join(place.path, "incident.jsonl"), "utf8")).length).toBeGreaterThan(1);
  });

  test("holds what was recorded until Ctrl-C", async () => {
    await using provider = await providerMock(
      inTurn({ calls: [{ name: "one_echo", arguments: { text: "seen" } }] }),
      (number) => (number === 1 ? new Promise(() => {}) : undefined),
    );
    await using place = await korvusPlace({ mcp: { servers: { one: probe() } }, model: provider.modelOf() });
    const running = place.start([...ask, "--record", "incident.jsonl"]);
    await patiently("the second step is asked", () => provider.requests.length === 2);

    running.kill("SIGINT");

    expect(await running.ended).toMatchObject({ code: 130 });
    expect(await readFile(join(place.path, "incident.jsonl"), "utf8")).toContain('"text":"seen"');
  });
});

test("a secret of the environment that servers echo everywhere is found nowhere", async () => {
  const secret = 'tok"en/with+odd=chars-9f8e7d6c';
  const marks = ["9f8e7d6c", Buffer.from(secret).toString("base64").slice(4, -4)];
  await using echoing = await startHttp(({ headers, rpc }, reply) => {
    const heard = String(headers["authorization"]);
    const encoded = `${encodeURIComponent(secret)} ${Buffer.from(secret).toString("base64")}`;
    const answer = ordinaryAnswer(rpc) ?? {
      jsonrpc: "2.0",
      id: rpc.id,
      result: { content: [{ type: "text", text: `you sent ${heard}, ${JSON.stringify({ heard })}, ${encoded}` }] },
    };
    const list = JSON.stringify(answer).replace(
      '"name":"look"',
      `"name":"look","description":${JSON.stringify(heard)}`,
    );
    reply
      .setHeader("content-type", "application/json")
      .end(rpc.method === "tools/list" ? list : JSON.stringify(answer));
  });
  await using provider = await providerMock(
    inTurn(
      {
        calls: [
          { name: "http_look" },
          { name: "env_env" },
          { name: "env_fault" },
          { name: "env_echo", arguments: { a: 1 } },
        ],
      },
      ({ results }) => ({
        calls: [
          {
            name: "report",
            arguments: { summary: results.map(({ text }) => text).join(), verdict: "likely", findings: [] },
          },
        ],
      }),
    ),
  );
  const { args } = odd("plain") as { args: string[] };
  const complaint = `echo "bad key $KEY, $1" >&2; exit 1`;
  await using place = await korvusPlace(
    {
      mcp: {
        servers: {
          http: { url: echoing.url, headers: { Authorization: "Bearer ${TOKEN}" } },
          env: odd("plain", { args: [...args, "${TOKEN}"], env: { KEY: "${TOKEN}" } }),
          dies: { command: "sh", args: ["-c", complaint, "sh", "${TOKEN}"], env: { KEY: "${TOKEN}" } },
          missing: { command: "no-such-${TOKEN}" },
          refused: { url: "http://127.0.0.1:9/${TOKEN}?key=${TOKEN}" },
        },
      },
      model: provider.modelOf(),
    },
    skills,
  );
  const options = { env: { TOKEN: secret } };
  const debug = ["--log-level", "debug"];

  const ended = await Promise.all([
    place.run([...ask, ...debug, "--record", "incident.jsonl"], options),
    place.run(["investigate", `is ${secret} slow?`, ...debug], options),
    place.run(["mcp", "list", "--json", ...debug], options),
    place.run(["mcp", "list", ...debug], options),
    place.run(["mcp", "tools", "--json", ...debug], options),
    place.run(["mcp", "call", "env", "env", ...debug], options),
    place.run(["mcp", "call", "http", "look", "--json", ...debug], options),
    place.run(["mcp", "call", "env", "fault", ...debug], options),
    place.run(["skills", "list", "--json", ...debug], options),
    place.run(["doctor", ...debug], options),
    place.run(["config", "check", "--json", ...debug], options),
  ]);

  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0]);
  expect(ended[0]?.stdout).toContain("[redacted:TOKEN]");
  const recording = await readFile(join(place.path, "incident.jsonl"), "utf8");
  expect(recording).toContain("[redacted:TOKEN]");
  const places = [
    recording,
    ...provider.requests.map(({ body }) => body),
    ...ended.flatMap(({ stdout, stderr }) => [stdout, stderr]),
  ];
  for (const [index, text] of places.entries())
    for (const mark of marks) expect(text, `place ${index}`).not.toContain(mark);
});
