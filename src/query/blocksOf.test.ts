import fc from "fast-check";
import { expect, test } from "vitest";
import { blocksOf } from "./blocksOf.ts";

test("blocks of the four languages come in order, with lines, titles, hints and holes; others are text", () => {
  const body = [
    "# Latency",
    "",
    '```promql title="p95 by service" unit="seconds" expect=high optional',
    'rate(x{service="$service"}[$__rate_interval])',
    "```",
    "",
    "```sh",
    "```promql inside another fence",
    "```",
    "Errors of **one** service:",
    "",
    "~~~~LogQL",
    '{service="${service}", env="$env"} |= "$$5"',
    "```",
    "~~~~",
    "```mcp",
    "tool: search_logs",
    "arguments: { service: $service, from: $from, limit: 5, deep: [true, null, '$pod'] }",
    "```",
  ].join("\n");

  const { blocks, problems } = blocksOf(body);

  expect(problems).toEqual([]);
  expect(blocks).toEqual([
    {
      kind: "query",
      language: "promql",
      text: 'rate(x{service="$service"}[$__rate_interval])',
      title: "p95 by service",
      line: 3,
      indent: 0,
      holes: ["service"],
      hints: { unit: "seconds", expect: "high", optional: true },
    },
    {
      kind: "query",
      language: "logql",
      text: '{service="${service}", env="$env"} |= "$$5"\n```',
      title: "Errors of one service",
      line: 12,
      indent: 0,
      holes: ["service", "env"],
      hints: { optional: false },
    },
    {
      kind: "mcp",
      tool: "search_logs",
      arguments: { service: "$service", from: "$from", limit: 5, deep: [true, null, "$pod"] },
      title: "Errors of one service",
      line: 16,
      indent: 0,
      holes: ["service", "pod"],
      hints: { optional: false },
    },
  ]);
});

test.each([
  ["## Errors ##", "Errors"],
  ["- `rate` of *http_requests_total* by service:", "rate of http_requests_total by service"],
  ["2. Saturation", "Saturation"],
  ["", "promql query"],
  [`Many ${"words ".repeat(30)}`, `Many ${"words ".repeat(30)}`.slice(0, 79).trimEnd().concat("…")],
])("the line %j above a block makes the title %j", (line, title) => {
  expect(blocksOf(`${line}\n\n\`\`\`promql\nup\n\`\`\``).blocks[0]?.title).toBe(title);
});

test("a block in a list loses its indentation, and CRLF is a line break", () => {
  const [block] = blocksOf("1. Traffic\r\n\r\n   ```promql\r\n   sum(\r\n     up\r\n  )\r\n   ```").blocks;

  expect(block).toMatchObject({ text: "sum(\n  up\n)", line: 3, indent: 3, title: "Traffic" });
});

test.each([
  ["```promql\nup", 1, 1, "the promql block is never closed"],
  ["  ```logql\n\n  ```", 1, 3, "the logql block is empty"],
  ["```promql unit=parsecs\nup\n```", 1, 11, /^unit is one of seconds, .*, not "parsecs"$/],
  ["```promql expect\nup\n```", 1, 11, "expect is one of high, low, any, not nothing"],
  ["```promql titel=x\nup\n```", 1, 11, 'unknown option "titel": title, unit, expect and optional are known'],
  ["```mcp\n- a\n```", 2, 1, "expected the keys tool and arguments"],
  ["```mcp\narguments: {}\n```", 2, 1, "the key tool is missing"],
  ["```mcp\ntool: 5\n```", 2, 1, "tool must be the name of a tool, a text"],
  ["```mcp\ntool: a\nargs: {}\n```", 3, 1, 'unknown key "args": only tool and arguments are known'],
  ["```mcp\ntool: a\narguments: [1]\n```", 3, 1, "arguments must be a map"],
  ["  ```mcp\n  tool: a\n  arguments: {\n  ```", 4, 3, /^not valid YAML: /],
  ["```mcp\ntool: a\narguments: { x: .inf }\n```", 3, 1, /^arguments hold a value that JSON has not/],
  ["```mcp\ntool: a\ntool: b\n```", 3, 1, "not valid YAML: duplicated mapping key"],
])("%j is a problem at %i:%i", (body, line, column, message) => {
  const { problems } = blocksOf(body);

  expect(problems).toEqual([
    { line, column, message: typeof message === "string" ? message : expect.stringMatching(message) },
  ]);
});

test("an mcp block can only mean JSON: dates, binary and big numbers of aliases do not come through", () => {
  const bomb = [
    "a: &a [1, 1]",
    ...Array.from({ length: 20 }, (_, n) => `b${n}: &b${n} [*${n ? `b${n - 1}` : "a"}, *a]`),
  ];
  const block = (lines: readonly string[]) => `\`\`\`mcp\ntool: t\narguments:\n  ${lines.join("\n  ")}\n\`\`\``;

  const dates = blocksOf(block(["at: 2026-01-01", "__proto__: { x: 1 }"]));
  const bombs = blocksOf(
    block([...bomb, ...bomb.map((line) => `c${line}`.replace(/&\w+/, "")), "d: [*b19, *b19, *b19]"]),
  );

  expect(dates.blocks[0]).toMatchObject({ arguments: { at: "2026-01-01" } });
  expect(JSON.stringify(dates.blocks[0])).toContain('"__proto__":{"x":1}');
  expect(bombs.blocks.length + bombs.problems.length).toBe(1);
});

test("any text gives blocks or problems, with lines that are in it", () => {
  const piece = fc.constantFrom(
    "```",
    "~~~~",
    "promql",
    "mcp",
    " ",
    "\n",
    "\r\n",
    "tool: x",
    "$a",
    '"',
    "{",
    "\t",
    "# t",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const body = pieces.join("");
      const { blocks, problems } = blocksOf(body);
      const lines = body.split(/\r\n|\r|\n/).length;
      for (const { line } of [...blocks, ...problems]) expect(line >= 1 && line <= lines).toBe(true);
      for (const { title } of blocks) expect(title.trim()).not.toBe("");
    }),
  );
});
