import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { eventually } from "../../test/kit/eventually.ts";
import { freePort } from "../../test/kit/freePort.ts";
import { needs } from "../../test/kit/needs.ts";
import { startAlertmanager } from "../../test/kit/startAlertmanager.ts";
import { type RunningProcess, startProcess } from "../../test/kit/startProcess.ts";
import { startPrometheus } from "../../test/kit/startPrometheus.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import { type Program, thirdParty } from "../../test/kit/thirdParty.ts";
import { childProcesses } from "../../test/mcp/childProcesses.ts";
import { http, never, reading, stdio, textOf, withRegistry } from "../../test/mcp/withRegistry.ts";
import type { ServerConfig } from "../config/config.ts";

const writing = { signal: never, readOnly: false };
const withArgs = ({ command, args }: Program, ...more: string[]): Program => ({ command, args: [...args, ...more] });

/** autotel-mcp puts the time into its answers. */
const timeless = (outcome: Parameters<typeof textOf>[0]) => textOf(outcome).replace(/"timestamp": "[^"]+"/, "");

/** server-everything over HTTP, on a port of its own, as often as it takes. */
async function startEverything(transport: "streamableHttp" | "sse", port: number): Promise<RunningProcess> {
  const { command, args } = withArgs(thirdParty.everything, transport);
  const env = { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", PORT: String(port) };
  const server = startProcess(command, args, { env });
  await server.until(/(listening|running) on port/);
  return server;
}

async function startAutotelOn(port: number): Promise<RunningProcess> {
  const flags = [
    "--transport",
    "http",
    "--host",
    "127.0.0.1",
    "--port",
    `${port}`,
    "--collector-port",
    `${await freePort()}`,
  ];
  const { command, args } = withArgs(thirdParty.autotel, ...flags);
  const server = startProcess(command, args, { cwd: tmpdir() });
  await eventually("autotel-mcp answers", () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return server;
}

const remote: readonly {
  readonly name: string;
  readonly path: string;
  readonly protocol: string;
  readonly tool: string;
  readonly args: { readonly [name: string]: string };
  readonly slow?: { readonly [name: string]: number };
  readonly start: (port: number) => Promise<RunningProcess>;
}[] = [
  {
    name: "server-everything over streamable HTTP",
    path: "/mcp",
    protocol: "2025-11-25",
    tool: "echo",
    args: { message: "hello" },
    slow: { duration: 1, steps: 2 },
    start: (port) => startEverything("streamableHttp", port),
  },
  {
    name: "server-everything over legacy SSE",
    path: "/sse",
    protocol: "2025-11-25",
    tool: "echo",
    args: { message: "hello" },
    slow: { duration: 1, steps: 2 },
    start: (port) => startEverything("sse", port),
  },
  {
    name: "autotel-mcp over streamable HTTP",
    path: "/mcp",
    protocol: "2026-07-28",
    tool: "list_services",
    args: {},
    start: startAutotelOn,
  },
];

describe.each(remote)("$name", ({ path, protocol, tool, args, slow, start }) => {
  test("connects, lists, calls, survives a kill -9 and a restart, in mid-call as well", async () => {
    const port = await freePort();
    let server = await start(port);
    try {
      await using started = await withRegistry([http("remote", `http://127.0.0.1:${port}${path}`)]);
      const { registry } = started;
      expect(registry.states()).toMatchObject([{ state: "connected", info: { protocol } }]);
      expect(registry.tools().map((offered) => offered.tool.name)).toContain(tool);
      const first = await registry.call("remote", tool, args, reading);
      expect(first).toMatchObject({ outcome: "ok", retried: false });

      server.kill("SIGKILL");
      await server.exited;
      const down = await registry.call("remote", tool, args, reading);
      expect(down).toMatchObject({ outcome: "error" });
      expect(down.ms).toBeLessThan(5000);

      server = await start(port);
      const healed = await registry.call("remote", tool, args, reading);
      expect(healed.outcome).toBe("ok");
      expect(timeless(healed)).toBe(timeless(first));

      if (!slow) return;
      const call = registry.call("remote", "trigger-long-running-operation", slow, reading);
      await delay(300);
      server.kill("SIGKILL");
      await server.exited;
      server = await start(port);
      const repeated = await call;
      // Whether the new server was up in time for the one reconnect is its own affair; hanging is not.
      expect(
        repeated.outcome === "ok" ? repeated.retried : repeated.code === "lost" || repeated.code === "connect-failed",
      ).toBe(true);
      expect((await registry.call("remote", tool, args, reading)).outcome).toBe("ok");
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });
});

describe("over stdio", () => {
  const local: readonly { name: string; program: Program; tool: string; args: { [name: string]: string } }[] = [
    {
      name: "server-everything",
      program: withArgs(thirdParty.everything, "stdio"),
      tool: "echo",
      args: { message: "hello" },
    },
    {
      name: "server-filesystem",
      program: withArgs(thirdParty.filesystem, "."),
      tool: "list_allowed_directories",
      args: {},
    },
    { name: "autotel-mcp", program: thirdParty.autotel, tool: "list_services", args: {} },
  ];

  test.each(local)("$name connects, lists, calls, and survives a kill -9", async ({ name, program, tool, args }) => {
    await using home = await tempDir();
    const env = { HOME: home.path };
    await using started = await withRegistry([stdio(name, program, { cwd: home.path, env })]);
    const { registry } = started;
    const first = await registry.call(name, tool, args, reading);

    process.kill(childProcesses(program.args[0] ?? "")[0] ?? 0, "SIGKILL");
    const second = await registry.call(name, tool, args, reading);

    expect(first).toMatchObject({ outcome: "ok" });
    expect(second).toMatchObject({ outcome: "ok" });
    expect(timeless(second)).toBe(timeless(first));
    expect(registry.states()).toMatchObject([{ state: "connected", retries: 1 }]);
    expect(started.lines.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual([
      "connection to MCP server lost",
    ]);
  });

  test("server-everything killed in mid-call: the call is repeated, progress and all", async () => {
    await using started = await withRegistry([stdio("everything", withArgs(thirdParty.everything, "stdio"))]);
    const { registry } = started;

    const call = registry.call("everything", "trigger-long-running-operation", { duration: 1, steps: 4 }, reading);
    await delay(400);
    process.kill(childProcesses("server-everything")[0] ?? 0, "SIGKILL");
    const outcome = await call;

    expect(outcome).toMatchObject({ outcome: "ok", retried: true, reached: true });
    expect(textOf(outcome)).toContain("completed");
  });

  test("a server that offers more to clients that can be asked offers us less", async () => {
    await using started = await withRegistry([stdio("everything", withArgs(thirdParty.everything, "stdio"))]);

    const names = started.registry.tools().map(({ tool }) => tool.name);

    expect(names.filter((name) => /elicitation|sampling|roots/.test(name))).toEqual([]);
  });

  test(
    "both Prometheus servers query a real Prometheus; each says what is wrong in its own way",
    needs("prometheus", "go-servers"),
    async () => {
      await using prometheus = await startPrometheus();
      const env = { PROMETHEUS_URL: prometheus.url };
      await using started = await withRegistry([
        stdio("go", thirdParty.prometheusGo, { env }),
        stdio("node", thirdParty.prometheusNode, { env }),
      ]);
      const { registry } = started;

      const go = await registry.call("go", "query", { promql: "vector(41) + 1" }, reading);
      const node = await registry.call("node", "prometheus_query", { query: "vector(41) + 1" }, reading);
      const wrong = await registry.call("go", "query", { promql: "rate(" }, reading);

      expect(registry.states()).toMatchObject([
        { name: "go", tools: 11 },
        { name: "node", tools: 10 },
      ]);
      expect(textOf(go)).toContain("42");
      expect(textOf(node)).toContain("42");
      expect(wrong).toMatchObject({ outcome: "error", reached: true, result: { isError: true } });
      expect(textOf(wrong)).toContain("parse error");
      expect(registry.tools().every(({ tool }) => tool.annotations.readOnlyHint)).toBe(true);
    },
  );

  test(
    "the Alertmanager server creates a silence in a real Alertmanager",
    needs("alertmanager", "go-servers"),
    async () => {
      await using alertmanager = await startAlertmanager();
      const env = { ALERTMANAGER_URL: alertmanager.url };
      await using started = await withRegistry([stdio("alertmanager", thirdParty.alertmanagerGo, { env })]);
      const { registry } = started;

      const silence = await registry.call("alertmanager", "createSilence", { alertName: "HighLatency" }, writing);
      const silences = await registry.call("alertmanager", "getSilences", {}, reading);

      expect(
        registry
          .tools()
          .filter(({ tool }) => !tool.annotations.readOnlyHint)
          .map(({ tool }) => tool.name),
      ).toEqual(["createSilence", "deleteSilence"]);
      expect(silence).toMatchObject({ outcome: "ok", reached: true });
      expect(textOf(silences)).toContain("HighLatency");
    },
  );
});

test("servers of every kind together: parallel start, one list, one close", needs("go-servers"), async () => {
  const port = await freePort();
  await using _everything = await startEverything("streamableHttp", port);
  await using home = await tempDir();
  const servers: readonly ServerConfig[] = [
    http("everything", `http://127.0.0.1:${port}/mcp`),
    stdio("files", withArgs(thirdParty.filesystem, home.path)),
    stdio("otel", thirdParty.autotel, { cwd: home.path, env: { HOME: home.path } }),
    stdio("alertmanager", thirdParty.alertmanagerGo, { env: { ALERTMANAGER_URL: "http://127.0.0.1:1" } }),
  ];
  await using started = await withRegistry(servers);

  const began = Date.now();
  await started.registry.close();

  expect(started.registry.connected()).toEqual(["alertmanager", "everything", "files", "otel"]);
  expect(started.registry.tools().length).toBeGreaterThan(75);
  expect(Date.now() - began).toBeLessThan(2000);
});
