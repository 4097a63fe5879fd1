import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigError } from "./configError.ts";
import type { Environment } from "./expandVariables.ts";
import { parseConfig } from "./parseConfig.ts";
import { configSchema } from "./schema.ts";

const parse = (text: string, env: Environment = {}) =>
  parseConfig(text, { file: "korvus.yaml", directory: "/ops", env });

function failure(text: string, env: Environment = {}): ConfigError {
  try {
    parse(text, env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("expected a ConfigError");
}
const lines = (text: string, env: Environment = {}) => failure(text, env).message.split("\n");

test("an empty file is the default configuration", () => {
  const want = {
    directory: "/ops",
    skills: { path: "/ops/skills", warnShare: 0.25 },
    mcp: { connectTimeout: 10_000, callTimeout: 60_000, servers: [] },
    budget: { steps: 40, tokens: 500_000, time: 600_000, resultTokens: 25_000 },
    runbook: { arguments: {} },
    policy: { allow: [], ask: [], deny: [] },
    workspaces: [],
    store: { database: { kind: "sqlite", path: "/ops/.korvus/korvus.db" }, directory: "/ops/.korvus" },
    server: { host: "127.0.0.1", port: 7700, tokens: [], origins: [] },
    limits: { sessions: 50, models: {}, servers: {} },
    secrets: [],
    warnings: [],
  };

  expect(parseConfig("", { directory: "/ops", env: {} })).toEqual(want);
  expect(parse("# nothing\n")).toEqual({ ...want, file: "korvus.yaml" });
  expect(parse("skills:\nmcp:\n  servers:\nmodel:\n")).toEqual({ ...want, file: "korvus.yaml" });
});

test("everything that can be configured", () => {
  const config = parse(
    `
skills: { path: ../team/skills, disclosure: full, warn_share: 0.5 }
mcp:
  connect_timeout: 1m30s
  call_timeout: 250ms
  servers:
    tempo: { url: "http://tempo:3200/api/mcp", headers: { Authorization: "Bearer \${TEMPO_TOKEN}" }, tools: { deny: [get-trace] } }
    prometheus: { command: mcp-prometheus, args: ["--url", "\${PROMETHEUS_URL:-http://localhost:9090}"], env: { A: b } }
    loki: { recording: ./incidents/checkout.jsonl }
    loki-2: { recording: /incidents/other.jsonl, from: loki }
model:
  provider: openai-compatible
  name: some/model
  base_url: http://gateway:8080/v1
  api_key: \${KEY}
  window: 32000
  max_output: 1000
  price: { input: 0.5, output: 2 }
  options: { effort: high, nested: [1, true, null] }
budget: { steps: 5, tokens: 1000, time: 1h, cost: 2.0, result_tokens: 100 }
runbook: { service_labels: [app], arguments: { grafana: { datasourceUid: x } } }
policy: { allow: [prometheus.query], ask: ["tempo.*"], deny: ["*.delete_*", "*"] }
workspaces:
  payments: { repository: "https://ana:\${GIT_TOKEN}@git.example/ops.git", ref: main, max_files: 10, max_size: 1MiB, max_file_size: 64KiB }
  local: { repository: ../repo }
  scp: { repository: "git@example.com:payments/ops.git" }
store: { url: "postgres://korvus:pass%20word@db/korvus", directory: state, retention_days: 90 }
server: { listen: "[::1]:0", tokens: ["a-literal-token-of-length"], origins: ["https://ops.example"] }
limits: { sessions: 7, models: { anthropic: { per_minute: 60 } }, servers: { prometheus: { concurrent: 4 } } }
`,
    { TEMPO_TOKEN: "tempo-secret", KEY: "model-secret", GIT_TOKEN: "git-secret" },
  );
  const caps = { maxFiles: 20_000, maxBytes: 256 * 2 ** 20, maxFileBytes: 8 * 2 ** 20 };

  expect(config).toEqual({
    file: "korvus.yaml",
    directory: "/ops",
    skills: { path: "/team/skills", warnShare: 0.5 },
    mcp: {
      connectTimeout: 90_000,
      callTimeout: 250,
      servers: [
        { name: "loki", kind: "recording", denyTools: [], file: "/ops/incidents/checkout.jsonl", from: "loki" },
        { name: "loki-2", kind: "recording", denyTools: [], file: "/incidents/other.jsonl", from: "loki" },
        {
          name: "prometheus",
          kind: "stdio",
          denyTools: [],
          command: "mcp-prometheus",
          args: ["--url", "http://localhost:9090"],
          env: { A: "b" },
          cwd: "/ops",
        },
        {
          name: "tempo",
          kind: "http",
          denyTools: ["get-trace"],
          url: "http://tempo:3200/api/mcp",
          headers: { Authorization: "Bearer tempo-secret" },
        },
      ],
    },
    model: {
      provider: "openai-compatible",
      name: "some/model",
      baseUrl: "http://gateway:8080/v1",
      apiKey: "model-secret",
      window: 32_000,
      maxOutput: 1_000,
      price: { input: 0.5, output: 2 },
      options: { effort: "high", nested: [1, true, null] },
    },
    budget: { steps: 5, tokens: 1_000, time: 3_600_000, cost: 2, resultTokens: 100 },
    runbook: { serviceLabels: ["app"], arguments: { grafana: { datasourceUid: "x" } } },
    policy: { allow: ["prometheus.query"], ask: ["tempo.*"], deny: ["*.delete_*", "*"] },
    workspaces: [
      { name: "local", repository: "/repo", ...caps },
      {
        name: "payments",
        repository: "https://ana:git-secret@git.example/ops.git",
        ref: "main",
        maxFiles: 10,
        maxBytes: 2 ** 20,
        maxFileBytes: 65_536,
      },
      { name: "scp", repository: "git@example.com:payments/ops.git", ...caps },
    ],
    store: {
      database: { kind: "postgres", url: "postgres://korvus:pass%20word@db/korvus" },
      directory: "/ops/state",
      retentionDays: 90,
    },
    server: { host: "::1", port: 0, tokens: ["a-literal-token-of-length"], origins: ["https://ops.example"] },
    limits: { sessions: 7, models: { anthropic: { perMinute: 60 } }, servers: { prometheus: { concurrent: 4 } } },
    secrets: [
      { name: "TEMPO_TOKEN", value: "tempo-secret" },
      { name: "KEY", value: "model-secret" },
      { name: "GIT_TOKEN", value: "git-secret" },
      { name: "server.tokens", value: "a-literal-token-of-length" },
      { name: "store.url", value: "pass%20word" },
      { name: "store.url", value: "pass word" },
    ],
    warnings: [],
  });
});

describe("what is wrong is told at its place, all of it at once", () => {
  test("issues of every kind together, in the order of the file", () => {
    const text = `skills:
  disclosure: on-demand
mcp:
  conect_timeout: 10s
  servers:
    loki: {}
    two: { command: x, url: http://y }
    web: { url: "ftp://a", args: [x] }
    env: { command: "\${NOPE}" }
budget: { steps: 0, time: 5 minutes, cost: 2 }
policy: { allow: [query] }
store: { url: "mysql:x" }
`;

    expect(lines(text)).toEqual([
      "korvus.yaml:2:15 skills.disclosure: on-demand is not supported yet, expected full",
      "korvus.yaml:4:19 mcp.conect_timeout: unknown key, did you mean connect_timeout?",
      "korvus.yaml:6:5 mcp.servers.loki: expected one of command, url, recording",
      "korvus.yaml:7:5 mcp.servers.two: expected one of command, url, recording, got command and url",
      "korvus.yaml:8:17 mcp.servers.web.url: expected an http or https URL",
      "korvus.yaml:8:28 mcp.servers.web.args: only a server with a command has args",
      "korvus.yaml:9:21 mcp.servers.env.command: the environment variable NOPE is not set",
      "korvus.yaml:10:18 budget.steps: must be at least 1",
      "korvus.yaml:10:27 budget.time: expected a duration, as 30s, 10m, 1h30m or 250ms",
      "korvus.yaml:10:44 budget.cost: needs model.price, USD per million tokens: model: { ..., price: { input, output } }",
      "korvus.yaml:11:19 policy.allow.0: expected server.tool, * as a wildcard",
      "korvus.yaml:12:15 store.url: expected sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE",
    ]);
  });

  test.each([
    ["server:\n  listen: x", "korvus.yaml:2:11 server.listen: expected HOST:PORT, as 127.0.0.1:7700 or [::1]:7700"],
    ["server: { tokens: [short] }", "korvus.yaml:1:20 server.tokens.0: a token has at least 16 characters"],
    [
      "mcp: { servers: { workspace: { url: 'http://x' } } }\nworkspaces: { a: { repository: . } }",
      "korvus.yaml:1:19 mcp.servers.workspace: workspace is the name of the files of a pinned session: call this server something else",
    ],
    [
      "workspaces: { a: { repository: ., max_size: 3 } }",
      "korvus.yaml:1:45 workspaces.a.max_size: expected a size, as 64KiB, 256MiB or 1GiB",
    ],
    ["model: gpt", "korvus.yaml:1:8 model: expected provider/name, as anthropic/claude-x, or runbook"],
    [
      "model: acme/x",
      "korvus.yaml:1:8 model: unknown provider, expected one of anthropic, openai, google, openai-compatible, ollama",
    ],
    ["model: 5", "korvus.yaml:1:8 model: expected a text or a map"],
    ["model: { provider: openai-compatible, name: x }", "korvus.yaml:1:1 model: openai-compatible needs a base_url"],
    [
      "model: { provider: openai, name: x, base_url: nope }",
      "korvus.yaml:1:47 model.base_url: expected an http or https URL",
    ],
    ["model: { provider: openai }", "korvus.yaml:1:1 model.name: expected a text, got nothing"],
    ["budget: { steps: many }", "korvus.yaml:1:18 budget.steps: expected a number, got a text"],
    ["budget: { steps: 1.5 }", "korvus.yaml:1:18 budget.steps: expected a whole number, got a number"],
    ["budget: { time: 10 }", "korvus.yaml:1:17 budget.time: expected a duration, as 30s, 10m, 1h30m or 250ms"],
    ["budget: { time: 0s }", "korvus.yaml:1:17 budget.time: must be longer than nothing"],
    ["budget: { time: 600h }", "korvus.yaml:1:17 budget.time: must be at most 24 days"],
    ["skills: { path: '' }", "korvus.yaml:1:17 skills.path: must not be empty"],
    [
      "mcp: { servers: { a b: { command: x } } }",
      "korvus.yaml:1:19 mcp.servers.a b: a server's name has 1 to 64 of A-Z a-z 0-9 . _ -",
    ],
    [
      "mcp: { servers: { a: { command: x, args: [8080] } } }",
      "korvus.yaml:1:43 mcp.servers.a.args.0: expected a text, got a number: put it in quotes",
    ],
    ["mcp:\n  servers:\n    a:", "korvus.yaml:3:5 mcp.servers.a: expected a map, got nothing"],
    ["- a", "korvus.yaml:1:1 expected a map, got a list"],
    ["a: 1\na: 2", "korvus.yaml:2:1 Map keys must be unique"],
    ["a: !x 1", "korvus.yaml:1:4 Unresolved tag: !x"],
    ["a: *x", "korvus.yaml:1:4 no anchor &x before this alias"],
    ["a: &x [*x]", "korvus.yaml:1:8 the alias *x stands within its own anchor"],
    ["a: [b", "korvus.yaml:1:6 Flow sequence in block collection must be sufficiently indented and end with a ]"],
    ["mcp: { servers: { a: { url: ${X} } } }", "korvus.yaml:1:30 ${...} within { } or [ ] needs quotes"],
    ["a: { <<: 1 }", "korvus.yaml:1:6 Merge sources must be maps or map aliases"],
    ["__proto__: 1", "korvus.yaml:1:1 __proto__ cannot be a key"],
    ["--- 1\n--- 2", "korvus.yaml:2:1 Source contains multiple documents; please use YAML.parseAllDocuments()"],
  ])("%s", (text, message) => {
    expect(lines(text)).toEqual([message]);
  });

  test("aliases that stand for gigabytes", () => {
    const bomb = Array.from(
      { length: 12 },
      (_, i) => `a${i}: &a${i} [${`${i === 0 ? "x" : `*a${i - 1}`}, `.repeat(10)}]`,
    );

    expect(lines(bomb.join("\n"))).toEqual(["korvus.yaml:2:10 the aliases of this file stand for too much"]);
  });

  test("brackets without end", () => {
    expect(lines(`a: ${"[".repeat(20_000)}`)).toHaveLength(1);
  });
});

describe("variables", () => {
  const path = (value: string, env: Environment) => parse(`skills: { path: ${value} }`, env).skills.path;

  test.each([
    ['"/${A}/${B}"', "/one/two"],
    ['"/${A:-x}/${C:-three}/${C:-}"', "/one/three"],
    ['"/${EMPTY:-filled}"', "/filled"],
    ['"/$${A}/$A/$$"', "/${A}/$A/$$"],
    ["'/${A}'", "/one"],
    ['"/${YAML}"', "/a: [b] # c"],
    ['"/${NESTED}"', "/${A}"],
  ])("%s", (source, want) => {
    const env = { A: "one", B: "two", EMPTY: "", YAML: "a: [b] # c", NESTED: "${A}" };

    expect(path(source, env)).toBe(want);
  });

  test.each(['"${}"', '"${1A}"', '"${A"', '"${A-b}"', '"${A B}"'])("%s is an error at its place", (source) => {
    expect(lines(`skills: { path: ${source} }`, { A: "x" })).toEqual([
      "korvus.yaml:1:17 skills.path: expected ${NAME} or ${NAME:-default}; write $${ for a literal ${",
    ]);
  });

  test("are not read in keys, nor from the prototype of the environment", () => {
    expect(lines("mcp:\n  servers:\n    ${A}: { command: x }", { A: "a" })).toHaveLength(1);
    expect(lines("skills:\n  path: ${constructor}")).toEqual([
      "korvus.yaml:2:9 skills.path: the environment variable constructor is not set",
    ]);
  });

  test("a whole plain scalar may be a number where one is wanted; a quoted one is a text", () => {
    const env = { N: "12", S: "0.5" };

    const { budget, skills } = parse("skills:\n  warn_share: ${S}\nbudget:\n  steps: ${N}\n  tokens: ${M:-9}", env);

    expect([skills.warnShare, budget.steps, budget.tokens]).toEqual([0.5, 12, 9]);
    expect(lines('budget: { steps: "${N}" }', env)).toEqual([
      "korvus.yaml:1:18 budget.steps: expected a number, got a text",
    ]);
    expect(lines("budget:\n  steps: 1${N}", env)).toEqual([
      "korvus.yaml:2:10 budget.steps: expected a number, got a text",
    ]);
    expect(parse('mcp: { servers: { a: { command: x, args: ["${N}"] } } }', env).mcp.servers).toMatchObject([
      { args: ["12"] },
    ]);
  });

  test("values of variables are secrets, defaults are not, and short ones are warned about", () => {
    const text = 'mcp: { servers: { a: { command: "${C}", args: ["${T}-${T}", "${D:-default}", "${E}"] } } }';

    const { secrets, warnings } = parse(text, { C: "sh", T: "token", E: "" });

    expect(secrets).toEqual([
      { name: "C", value: "sh" },
      { name: "T", value: "token" },
    ]);
    expect(warnings).toEqual(["the value of C is shorter than 4 characters: it cannot be redacted safely"]);
  });

  test("a value never stands in a message", () => {
    const env = { SECRET: "hunter2\nhunter2" };
    const text =
      "model: ${SECRET}\nbudget:\n  steps: ${SECRET}\n  time: ${SECRET}\nmcp:\n  servers:\n    a:\n      url: ${SECRET}\n      headers:\n        A: ${SECRET}";

    const { message } = failure(text, env);

    expect(message.split("\n")).toHaveLength(5);
    expect(message).not.toContain("hunter2");
  });
});

test("the schema describes what is accepted", () => {
  const { properties, additionalProperties } = configSchema();

  expect(additionalProperties).toBe(false);
  expect(Object.keys(properties as object)).toEqual([
    "skills",
    "mcp",
    "model",
    "budget",
    "runbook",
    "policy",
    "workspaces",
    "store",
    "server",
    "limits",
  ]);
});

test("whatever is written, a configuration or a ConfigError comes out", () => {
  const word = fc.constantFrom(
    "skills",
    "mcp",
    "servers",
    "model",
    "budget",
    "cost",
    "a",
    "${A}",
    "${",
    "null",
    "1",
    "x/y",
    "[",
    "{",
    "}",
    "]",
    ": ",
    "\n",
    "\n  ",
    "\n    ",
    "- ",
    ", ",
    "&a ",
    "*a",
    "<<: ",
    "'",
    '"',
    "#",
    "!",
    "|",
    "\t",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(word).map((all) => all.join("")),
        fc.string({ unit: "binary" }),
      ),
      (text) => {
        try {
          parse(text, { A: "b" });
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
