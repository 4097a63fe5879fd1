import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { tempDir } from "../../test/kit/tempDir.ts";
import { never, odd, reading, textOf, withRegistry } from "../../test/mcp/withRegistry.ts";

const writing = { signal: never, readOnly: false };

test("an error that a tool reports is a result", async () => {
  await using started = await withRegistry([odd("plain")]);

  const outcome = await started.registry.call("plain", "fails", {}, reading);

  expect(outcome).toMatchObject({ outcome: "error", reached: true, retried: false, result: { isError: true } });
  expect(textOf(outcome)).toBe("it is broken");
});

test("an error of the protocol is a result with the server's words", async () => {
  await using started = await withRegistry([odd("plain")]);

  const outcome = await started.registry.call("plain", "fault", {}, reading);

  expect(outcome).toMatchObject({ outcome: "error", reached: true, code: "protocol" });
  expect(textOf(outcome)).toContain("no such metric");
});

test("a call ends at its deadline, and the server works on", async () => {
  await using started = await withRegistry([odd("plain")], { callTimeout: 300 });

  const outcome = await started.registry.call("plain", "hang", {}, reading);
  const next = await started.registry.call("plain", "echo", {}, reading);

  expect(outcome).toMatchObject({ outcome: "timeout", reached: true, code: "timeout" });
  expect(textOf(outcome)).toBe("plain did not answer hang within 0.3 s: no answer came in time");
  expect(outcome.ms).toBeGreaterThanOrEqual(290);
  expect(next.outcome).toBe("ok");
});

test("progress extends the deadline, up to ten times", async () => {
  await using started = await withRegistry([odd("plain")], { callTimeout: 200 });

  const patient = await started.registry.call("plain", "progress", { steps: 10, ms: 80 }, reading);
  const endless = await started.registry.call("plain", "progress", { steps: 1000, ms: 80 }, reading);

  expect(patient).toMatchObject({ outcome: "ok" });
  expect(patient.ms).toBeGreaterThan(700);
  expect(endless).toMatchObject({ outcome: "timeout" });
  expect(endless.ms).toBeGreaterThan(1900);
  expect(endless.ms).toBeLessThan(3500);
});

test("cancelling ends a call at once with the signal's reason, and the server is told", async () => {
  await using started = await withRegistry([odd("plain")]);
  const cancel = new AbortController();
  const reason = new Error("the run was cancelled");

  const call = started.registry.call("plain", "progress", { steps: 4, ms: 100 }, { ...reading, signal: cancel.signal });
  await delay(150);
  const began = Date.now();
  cancel.abort(reason);

  await expect(call).rejects.toBe(reason);
  expect(Date.now() - began).toBeLessThan(1000);
  const told = await started.registry.call("plain", "cancelled", {}, reading);
  expect((JSON.parse(textOf(told)) as unknown[]).length).toBe(1);
  await delay(400);
  const late = started.lines.filter(({ error }) =>
    String(error).includes("progress notification for an unknown token"),
  );
  expect(new Set(late.map(({ level }) => level))).toEqual(new Set(["debug"]));
});

test("a call with a signal that is aborted already does not reach the server", async () => {
  await using started = await withRegistry([odd("plain")]);
  const reason = new Error("over");

  const call = started.registry.call("plain", "fails", {}, { ...reading, signal: AbortSignal.abort(reason) });

  await expect(call).rejects.toBe(reason);
  const seen = await started.registry.call("plain", "seen", {}, reading);
  expect((JSON.parse(textOf(seen)) as string[]).filter((method) => method === "tools/call").length).toBe(1);
});

test("when the server dies in mid-call, a tool that may write is not repeated, and nobody claims to know what it did", async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "notes");
  await using started = await withRegistry([odd("plain", { env: { ODD_FILE: file } })]);

  const outcome = await started.registry.call("plain", "note", {}, writing);
  const next = await started.registry.call("plain", "echo", {}, writing);

  expect(outcome).toMatchObject({ outcome: "unknown", reached: true, retried: false, code: "lost" });
  expect(textOf(outcome)).toContain("nobody knows whether it took effect: the server exited with code 7");
  expect(await readFile(file, "utf8")).toBe("note\n");
  expect(next).toMatchObject({ outcome: "ok", retried: false });
});

test("when the server dies in mid-call, a tool that only reads is repeated once", async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "notes");
  await using started = await withRegistry([odd("plain", { env: { ODD_FILE: file } })]);

  const outcome = await started.registry.call("plain", "note", {}, reading);

  expect(outcome).toMatchObject({ outcome: "error", reached: true, retried: true, code: "lost" });
  expect(await readFile(file, "utf8")).toBe("note\nnote\n");
  expect(started.registry.states()).toMatchObject([{ state: "lost", retries: 1 }]);
});

test("a server that closes its output without exiting is as good as gone", async () => {
  await using started = await withRegistry([odd("plain")]);

  const outcome = await started.registry.call("plain", "deaf", {}, writing);
  const next = await started.registry.call("plain", "echo", {}, reading);

  expect(outcome).toMatchObject({ outcome: "unknown", code: "lost" });
  expect(textOf(outcome)).toContain("the server closed its output");
  expect(next).toMatchObject({ outcome: "ok" });
});

test("callers that find the connection lost share one reconnect", async () => {
  await using started = await withRegistry([odd("plain")]);
  await started.registry.call("plain", "die", {}, writing);

  const pids = await Promise.all(Array.from({ length: 8 }, () => started.registry.call("plain", "pid", {}, reading)));

  expect(new Set(pids.map(textOf)).size).toBe(1);
  expect(started.registry.states()).toMatchObject([{ state: "connected", retries: 1 }]);
});

test("a caller who gives up on a reconnect does not take it from the others", async () => {
  await using started = await withRegistry([odd("plain")]);
  await started.registry.call("plain", "die", {}, writing);
  const cancel = new AbortController();

  const impatient = started.registry.call("plain", "echo", {}, { signal: cancel.signal, readOnly: true });
  const patient = started.registry.call("plain", "echo", {}, reading);
  cancel.abort(new Error("enough"));

  await expect(impatient).rejects.toThrow("enough");
  expect(await patient).toMatchObject({ outcome: "ok" });
});

test("a server that failed at the start stays failed for the run", async () => {
  await using started = await withRegistry([odd("dies")]);

  const outcome = await started.registry.call("dies", "echo", {}, reading);

  expect(outcome).toMatchObject({ outcome: "error", reached: false, code: "not-connected" });
  expect(textOf(outcome)).toMatch(/^dies is not connected: .*exited with code 3/);
  expect(started.registry.states()).toMatchObject([{ state: "failed", retries: 0 }]);
});

test("servers and tools that do not exist are results, too", async () => {
  await using started = await withRegistry([odd("plain")]);

  const server = await started.registry.call("nowhere", "echo", {}, reading);
  const tool = await started.registry.call("plain", "constructor", {}, reading);

  expect(server).toMatchObject({ outcome: "error", reached: false });
  expect(tool).toMatchObject({ outcome: "error", reached: false });
  expect(textOf(tool)).toBe("plain offers no tool named constructor");
});
