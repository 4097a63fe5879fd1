import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/kit/tempDir.ts";
import { odd, reading, textOf, withRegistry } from "../../test/mcp/withRegistry.ts";

test("servers start in parallel, and the ones that fail neither stop nor delay the others", async () => {
  const modes = ["mute", "mute-initialize", "list-hangs", "dies", "list-fails", "plain", "dies-of-probe"];
  const began = Date.now();
  await using started = await withRegistry(
    modes.map((mode) => odd(mode)),
    { connectTimeout: 4000 },
  );
  const took = Date.now() - began;

  const reasons = Object.fromEntries(started.registry.states().map(({ name, reason }) => [name, reason]));

  expect(took).toBeLessThan(6000);
  expect(started.registry.connected()).toEqual(["dies-of-probe", "plain"]);
  expect(reasons).toEqual({
    mute: "it did not initialise within 4 s",
    "mute-initialize": "it did not initialise within 4 s",
    "list-hangs": "it did not list its tools within 4 s",
    dies: "the server exited with code 3: cannot read the token file: token-abcdef",
    "list-fails": "its tools cannot be listed: the server answered with an error: the catalog is locked (-32603)",
    plain: undefined,
    "dies-of-probe": undefined,
  });
  const warnings = started.lines.filter(({ level }) => level === "warn");
  expect(warnings.map(({ server, state, reason }) => ({ server, state, reason }))).toEqual(
    expect.arrayContaining(modes.slice(0, 5).map((server) => ({ server, state: "failed", reason: reasons[server] }))),
  );
  expect(warnings.length).toBe(5);
});

test("an empty list is a connected server without tools", async () => {
  await using started = await withRegistry([odd("empty")]);

  expect(started.registry.connected()).toEqual(["empty"]);
  expect(started.registry.tools()).toEqual([]);
  expect(started.registry.states()).toMatchObject([{ state: "connected", tools: 0 }]);
});

test("every page of a tool list is read", async () => {
  await using started = await withRegistry([odd("paged"), odd("plain")]);

  const namesOf = (name: string) =>
    started.registry.tools().flatMap(({ server, tool }) => (server === name ? [tool.name] : []));

  expect(namesOf("paged")).toEqual(namesOf("plain"));
  expect(namesOf("paged").length).toBeGreaterThan(10);
});

test("a tool list without end is a failure", async () => {
  await using started = await withRegistry([odd("endless")]);

  expect(started.registry.states()[0]?.reason).toBe("its tools cannot be listed: there are more than 64 pages");
});

test("names that would fill every prompt are a failure too", async () => {
  const names = Array.from({ length: 1000 }, (_, index) => `${"n".repeat(70)}${index}`);
  await using dir = await tempDir({ tools: names.join("\n") });
  await using started = await withRegistry([odd("file", { env: { ODD_FILE: join(dir.path, "tools") } })]);

  expect(started.registry.states()[0]?.reason).toContain("their names have more than 65536 characters");
});

test("of two tools with one name the first counts", async () => {
  await using started = await withRegistry([odd("twins")]);

  expect(started.registry.tools().map(({ tool }) => tool.description)).toEqual(["first"]);
});

test("one faulty tool does not cost the others, and a hint counts only if it is a boolean", async () => {
  await using started = await withRegistry([odd("faulty")]);

  const tools = started.registry.tools().map(({ tool }) => tool);

  expect(tools).toEqual([
    { name: "bare", description: "", inputSchema: { type: "object" }, annotations: {} },
    { name: "liar", description: "", inputSchema: { type: "object", properties: {} }, annotations: {} },
  ]);
  expect(started.lines).toContainEqual(expect.objectContaining({ level: "warn", server: "faulty", tools: 2 }));
});

test("a result of a kind that MCP does not know is not lost, and no result is an error", async () => {
  await using started = await withRegistry([odd("plain")]);

  const strange = await started.registry.call("plain", "strange", {}, reading);
  const contentless = await started.registry.call("plain", "contentless", {}, reading);
  const nothing = await started.registry.call("plain", "nothing", {}, reading);

  expect(strange.result).toEqual({
    content: [{ type: "hologram", text: "boo" }],
    structuredContent: [1, 2],
    isError: false,
  });
  expect(contentless.result).toEqual({ content: [], isError: false });
  expect(nothing).toMatchObject({ outcome: "error", reached: true, code: "protocol" });
});

test.each(["wrong", "bare"])("a result that breaks its output schema (%s) is not lost", async (tool) => {
  await using started = await withRegistry([odd("plain")]);

  const outcome = await started.registry.call("plain", tool, {}, reading);

  expect(outcome).toMatchObject({ outcome: "ok", result: { isError: false } });
  expect(textOf(outcome)).toBe(tool === "wrong" ? "42 apples" : "no structure at all");
});

test("a server that asks for input, for a model or for directories is declined, and its call goes on", async () => {
  await using started = await withRegistry([odd("plain")]);

  const elicit = await started.registry.call("plain", "elicit", {}, reading);
  const sample = await started.registry.call("plain", "sample", {}, reading);
  const roots = await started.registry.call("plain", "roots", {}, reading);

  expect(JSON.parse(textOf(elicit))).toMatchObject({ result: { action: "decline" } });
  expect(JSON.parse(textOf(sample))).toMatchObject({ error: { code: -1 } });
  expect(JSON.parse(textOf(roots))).toMatchObject({ error: { code: -32601 } });
});

test("a server that ends when asked for the 2026 protocol is started again and asked for an older one", async () => {
  await using started = await withRegistry([odd("dies-of-probe")]);

  const outcome = await started.registry.call("dies-of-probe", "seen", {}, reading);

  expect(JSON.parse(textOf(outcome))).toEqual(["initialize", "notifications/initialized", "tools/list", "tools/call"]);
  expect(started.registry.states()[0]?.info).toEqual({ server: "odd 1", protocol: "2025-06-18" });
});
