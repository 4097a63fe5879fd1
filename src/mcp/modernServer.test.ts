import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { eventually } from "../../test/kit/eventually.ts";
import { never, reading, stdio, textOf, withRegistry } from "../../test/mcp/withRegistry.ts";

const path = fileURLToPath(new URL("../../test/mcp/modernServer.ts", import.meta.url));
const modern = (startMs: number) => stdio("modern", { command: process.execPath, args: [path, String(startMs)] });

test("a server that speaks only the 2026 revision and starts slowly is not given up as too old", async () => {
  await using started = await withRegistry([modern(1800)]);

  expect(started.registry.states()).toMatchObject([
    { state: "connected", info: { server: "modern 1.0.0", protocol: "2026-07-28" } },
  ]);
});

test("a tool that asks its user for input is declined", async () => {
  await using started = await withRegistry([modern(0)]);

  const outcome = await started.registry.call("modern", "ask", {}, reading);

  expect(outcome).toMatchObject({ outcome: "error", reached: true, code: "protocol" });
  expect(textOf(outcome)).toMatch(/elicitation/i);
});

test("a changed tool list is noticed, and counts after a refresh", async () => {
  await using started = await withRegistry([modern(0)]);
  const { registry } = started;
  const noticed = "MCP server changed its tools: the new ones count for the next run";

  await registry.call("modern", "grow", {}, reading);
  await eventually("the change is noticed", () => started.lines.some(({ message }) => message === noticed));
  await registry.refresh(never);

  expect(registry.tools().map(({ tool }) => tool.name)).toEqual(["ask", "grow", "grown", "slow"]);
});

test("cancelling a call ends it at once", async () => {
  await using started = await withRegistry([modern(0)]);
  const cancel = new AbortController();
  const call = started.registry.call("modern", "slow", { ms: 60_000 }, { signal: cancel.signal, readOnly: true });
  const rejected = expect(call).rejects.toThrow("enough");

  cancel.abort(new Error("enough"));

  await rejected;
});
