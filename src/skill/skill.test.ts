import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, SkillError } from "./skill.ts";

const file = (header: string, body = "Body") => `---\n${header}\n---\n${body}\n`;

function failure(raw: string | Uint8Array): SkillError {
  try {
    parse(raw);
  } catch (error) {
    if (error instanceof SkillError) return error;
    throw error;
  }
  throw new Error("expected a SkillError");
}

test("a skill is its header's fields and its body", () => {
  const skill = parse(file("name: prometheus\ndescription: Metrics\ntags: [a, b]\nmcp_server: prom", "# How\n\nAsk."));

  expect(skill).toEqual({
    name: "prometheus",
    description: "Metrics",
    tags: ["a", "b"],
    mcpServer: "prom",
    body: "# How\n\nAsk.",
  });
});

test("absent fields are empty, and an empty mcp_server is no server", () => {
  expect(parse(file("name: x"))).toEqual({ name: "x", description: "", tags: [], body: "Body" });
  expect(parse(file("name: x\nmcp_server: ''"))).not.toHaveProperty("mcpServer");
});

test.each(["12306", "1.10", "on", "yes", "2024-01-02", "0x1F", "007", "1_000", ".inf", "1e3", "!!int 0x1F", "!team x"])(
  "a scalar keeps its source text: %s",
  (source) => {
    expect(parse(file(`name: ${source}`)).name).toBe(source.replace(/^!\S+ /, ""));
  },
);

test.each(["!!int 1.5", "!!float x", "!!bool yes", "!!timestamp x", "!!null x", "!!unheard x", "!undeclared!x y"])(
  "a tag that the text does not fit is an error: %s",
  (source) => {
    expect(failure(file(`name: ${source}`)).code).toBe("invalid-yaml");
  },
);

test("a block scalar that the closing line cuts off has no last line break", () => {
  expect(parse(file("description: d\nname: |\n  x")).name).toBe("x");
  expect(parse(file("name: x\ntags:\n  - >\n    a\n    b")).tags).toEqual(["a b"]);
  expect(parse(file("name: x\nfoo: &b |\n  y\nmcp_server: *b")).mcpServer).toBe("y\n");
  expect(parse(file("name: |\n  x\ndescription: d")).name).toBe("x\n");
});

test("a merged mcp_server counts, and an own one goes before it", () => {
  expect(parse(file("base: &b {mcp_server: loki}\n<<: *b\nname: x")).mcpServer).toBe("loki");
  expect(parse(file("<<: [{mcp_server: loki}, {mcp_server: tempo}]\nname: x")).mcpServer).toBe("loki");
  expect(parse(file("<<: {mcp_server: loki}\nname: x\nmcp_server: ~"))).not.toHaveProperty("mcpServer");
});

test("results are frozen and share nothing", () => {
  const raw = file("name: x\nfoo: &t [a]\ntags: *t");

  const [one, two] = [parse(raw), parse(raw)];

  expect(one).toEqual(two);
  expect(one.tags).not.toBe(two.tags);
  expect(Object.isFrozen(one) && Object.isFrozen(one.tags)).toBe(true);
});

describe("an error says where, what was expected and what came", () => {
  test.each([
    ["# Title\n", "no-frontmatter", 1, 1, 'expected "---" before anything else, found "# Title"'],
    ["", "no-frontmatter", 1, 1, 'expected "---" before anything else, found ""'],
    ["\n  ---\nname: x\n", "unterminated", 2, 3, 'no closing "---" line after the frontmatter'],
    [file("description: d"), "missing-name", 1, 4, 'missing required field "name": the header has none'],
    [file("description: d\nname: ' '"), "missing-name", 3, 1, 'missing required field "name": it is blank'],
    [file("name: x\ndescription: use when: errors"), "invalid-yaml", 3, 22, 'a value with ": " needs quotes'],
    [file("name: 😀 a: b"), "invalid-yaml", 2, 10, 'a value with ": " needs quotes'],
    ["\r\n\r\n---\r\nname: a: b\r\n---\r\n", "invalid-yaml", 4, 8, 'a value with ": " needs quotes'],
    ["--- name: a: b\n---\n", "invalid-yaml", 1, 12, 'a value with ": " needs quotes'],
    [file("name: x\ndescription: `up`"), "invalid-yaml", 3, 14, 'a value that starts with "`" needs quotes'],
    [file("name: x\ntags: a, b"), "invalid-yaml", 3, 1, '"tags" must be a list of texts, not a text'],
    [file("name: x\ntags: [{a: b}]"), "invalid-yaml", 3, 1, '"tags" must be a list of texts, not a map'],
    [file("name: [a]"), "invalid-yaml", 2, 1, '"name" must be a text, not a list'],
    [file("- name: x"), "invalid-yaml", 1, 4, "the header must be a map of fields, not a list"],
    [file("name: a\nname: b"), "invalid-yaml", 3, 1, "duplicated mapping key"],
    [file("name: 'a\u0007b'"), "invalid-yaml", 2, 9, "control characters are not allowed"],
    [file('name: "\\ud800"'), "invalid-yaml", 2, 1, '"name" must be Unicode, not half of a surrogate pair'],
    [file("? [name]\n: x"), "invalid-yaml", 2, 9, "a key must be a text, not a list"],
    [file("? {a: b}"), "invalid-yaml", 1, 4, "a key must be a text, not a map"],
    [file("name: &a.b x"), "invalid-yaml", 2, 13, "the name of an anchor is letters, digits, - and _"],
    ["---\t\nname: x\n---\n", "invalid-yaml", 1, 4, "a tab cannot indent the first field"],
    [file("{[name]: x}"), "invalid-yaml", 2, 8, "a key must be a text, not a list"],
  ])("%j", (raw, code, line, column, message) => {
    expect(failure(raw)).toMatchObject({ code, line, column, message });
  });

  test("bytes that are not UTF-8, and text that could not become it", () => {
    const bytes = Buffer.concat([Buffer.from("---\nname: é"), Buffer.from([0xff]), Buffer.from("\n---\n")]);

    expect(failure(bytes)).toMatchObject({ code: "invalid-encoding", line: 2, column: 8 });
    expect(failure(file("name: x", "\ud800"))).toMatchObject({ code: "invalid-encoding", line: 4, column: 1 });
  });

  test("the decoder's own error is the cause", () => {
    expect(failure(file("name: [")).cause).toBeInstanceOf(Error);
  });
});

test("one byte order mark at the very start is tolerated; anywhere else it is data", () => {
  expect(parse(`\ufeff${file("name: x")}`).name).toBe("x");
  expect(parse(Buffer.from(`\ufeff${file("name: x")}`)).name).toBe("x");
  expect(failure(`\ufeff\ufeff${file("name: x")}`).code).toBe("no-frontmatter");
  expect(failure(`\n\ufeff${file("name: x")}`).code).toBe("no-frontmatter");
});

describe("a hostile header ends soon", () => {
  const many = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, i) => line(i));
  const bomb = many(
    12,
    (i) =>
      `a${i}: &a${i} [${Array(10)
        .fill(i === 0 ? "x" : `*a${i - 1}`)
        .join(", ")}]`,
  );
  const merges = many(300, (i) => `m${i}: &m${i} {${many(300, (k) => `k${i}_${k}: v`).join(", ")}}`);
  test.each([
    ["20,000 keys", many(20_000, (i) => `k${i}: v`).join("\n"), "x"],
    ["20,000 brackets", `extra: ${"[".repeat(20_000)}`, "invalid-yaml"],
    ["20,000 braces", `extra: ${"{a: ".repeat(20_000)}`, "invalid-yaml"],
    ["20,000 dashes", `extra:\n  ${"- ".repeat(20_000)}`, "invalid-yaml"],
    ["20,000 question marks", "? ".repeat(20_000), "invalid-yaml"],
    ["20,000 anchors", `extra: ${"&a ".repeat(20_000)}`, "invalid-yaml"],
    ["20,000 tags", `extra:\n${many(20_000, () => "  !a\n").join("")}`, "invalid-yaml"],
    ["an alias bomb", bomb.join("\n"), "x"],
    ["an alias bomb in the tags", `${bomb.join("\n")}\ntags: *a11`, "invalid-yaml"],
    [
      "an alias bomb of long tags",
      `l: &l ${"x".repeat(100_000)}\ntags: [${Array(20_000).fill("*l").join(",")}]`,
      "invalid-yaml",
    ],
    ["a merge bomb", `${merges.join("\n")}\n<<: [${many(300, (i) => `*m${i}`).join(", ")}]`, "invalid-yaml"],
    ["a list that holds itself", "extra: &a [*a]\ntags: []", "x"],
    ["a list of tags that holds itself", "tags: &a [*a]", "invalid-yaml"],
    ["a long line of spaces", `${" ".repeat(1_000_000)}\ntags: x`, "invalid-yaml"],
    ["a long plain scalar", `extra: ${"word ".repeat(200_000)}`, "x"],
    ["a long broken line", `extra: ${"word ".repeat(200_000)}: x`, "invalid-yaml"],
    ["quotes that never close", `extra: ${'"a '.repeat(50_001)}`, "invalid-yaml"],
    ["backslashes", `extra: "${"\\".repeat(1_000_000)}"`, "x"],
    ["a key named __proto__", "__proto__: {tags: [evil], mcp_server: evil}", "x"],
    ["a key named constructor", "constructor: {prototype: {tags: [evil]}}\ntoString: x\nhasOwnProperty: y", "x"],
    ["a merged __proto__", "<<: {__proto__: {mcp_server: evil}}", "x"],
    ["code", "extra: !!js/function 'function () { throw 1 }'", "invalid-yaml"],
  ])("%s", (_, header, want) => {
    const started = performance.now();

    let got: string;
    try {
      const skill = parse(file(`name: x\n${header}`));
      expect(skill).not.toHaveProperty("mcpServer");
      expect(skill.tags).toEqual([]);
      got = skill.name;
    } catch (error) {
      got = (error as SkillError).code;
    }

    expect(got).toBe(want);
    // Each takes less than a fifth of a second; what is looked for here is one that blows up, on however busy a machine.
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(({} as Record<string, unknown>)["mcp_server"]).toBeUndefined();
  });

  test("a body full of white space", () => {
    const started = performance.now();

    const { body } = parse(file("name: x", `a${" \u2003".repeat(500_000)}b${"\u00a0".repeat(1_000_000)}`));

    expect(body).toHaveLength(1_000_002);
    // Each takes less than a fifth of a second; what is looked for here is one that blows up, on however busy a machine.
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

const blank = /^\p{White_Space}|\p{White_Space}$/u;

test("the body reaches the prompt byte for byte", () => {
  const piece = fc.constantFrom(
    "$&",
    "$1",
    "{{ x }}",
    "%s",
    "\r\n",
    "\u200b",
    "\ufeff",
    "---",
    "\n---\n",
    "\\n",
    "é",
    "😀",
    "\0",
  );
  const inner = fc.array(fc.oneof(piece, fc.string({ unit: "binary" })), { maxLength: 30 }).map((all) => all.join(""));
  const body = inner.filter((text) => !blank.test(text) && text.isWellFormed());
  fc.assert(
    fc.property(body, (body) => {
      expect(parse(`---\nname: x\n---\n${body}`).body).toBe(body);
      expect(parse(Buffer.from(`---\nname: x\n---\n\u0085 ${body}\n\u00a0`)).body).toBe(body);
    }),
  );
});

test("a skill that is written out and parsed again is the same", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 40 });
  const skill = fc.record(
    {
      name: text.filter((name) => !/^\p{White_Space}*$/u.test(name)),
      description: text,
      tags: fc.array(text, { maxLength: 5 }),
      mcpServer: text.filter((server) => server !== ""),
      body: text.filter((body) => !blank.test(body)),
    },
    { requiredKeys: ["name", "description", "tags", "body"] },
  );
  fc.assert(
    fc.property(skill, (skill) => {
      // JSON is YAML but for these: a double-quoted scalar of YAML has an escape for them.
      const json = (value: unknown) =>
        JSON.stringify(value).replace(
          /[\u007f-\u009f\u2028\u2029\ufeff]/g,
          (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
      const server = skill.mcpServer === undefined ? "" : `mcp_server: ${json(skill.mcpServer)}\n`;
      const header = `name: ${json(skill.name)}\ndescription: ${json(skill.description)}\ntags: ${json(skill.tags)}\n`;

      expect(parse(`---\n${header}${server}---\n${skill.body}`)).toEqual(skill);
    }),
  );
});

test("whatever comes in, a skill or a SkillError comes out", () => {
  const piece = fc.constantFrom(
    "---",
    "\n",
    "\r\n",
    "name: ",
    "tags:",
    " - ",
    "[",
    "{",
    "&a",
    "*a",
    "<<: ",
    "? ",
    ": ",
    "#",
    "|",
    ">",
    "'",
    '"',
    "!",
    "%",
    "\t",
    "...",
  );
  const raw = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: "binary" }),
    fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))).map((all) => `---\nname: x\n${all.join("")}\n---\n`),
  );
  fc.assert(
    fc.property(raw, (raw) => {
      try {
        parse(raw);
      } catch (error) {
        expect(error).toBeInstanceOf(SkillError);
      }
    }),
    { numRuns: 2_000 },
  );
});
