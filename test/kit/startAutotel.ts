import { eventually } from "./eventually.ts";
import { freePort } from "./freePort.ts";
import { startProcess } from "./startProcess.ts";
import type { RunningServer } from "./startPrometheus.ts";
import { tempDir } from "./tempDir.ts";
import { thirdParty } from "./thirdParty.ts";

export interface RunningAutotel extends RunningServer {
  /** Streamable HTTP, e.g. `http://127.0.0.1:port/mcp` */
  readonly mcpUrl: string;
  /** OTLP/HTTP JSON goes to `/v1/traces` and `/v1/logs` below it. */
  readonly otlpUrl: string;
}

/** autotel-mcp: an OTLP receiver, a store in memory and an MCP server over HTTP, all on loopback. */
export async function startAutotel(): Promise<RunningAutotel> {
  await using stack = new AsyncDisposableStack();
  // It can bind port 0 but prints the 0, so nobody would know where it listens.
  const port = await freePort();
  const collector = await freePort();
  const home = stack.use(await tempDir());
  const { command, args } = thirdParty.autotel;
  const server = stack.use(
    startProcess(
      command,
      [...args, "--transport", "http", "--host", "127.0.0.1"].concat(
        ["--port", String(port)],
        ["--collector-port", String(collector)],
      ),
      { cwd: home.path, env: { PATH: process.env["PATH"] ?? "", HOME: home.path, LANG: "C.UTF-8" } },
    ),
  );

  await server.until(/OTLP receiver on/);
  const url = `http://127.0.0.1:${port}`;
  await eventually("autotel-mcp answers /health", async () => (await fetch(`${url}/health`)).ok);

  const owned = stack.move();
  return {
    url,
    port,
    mcpUrl: `${url}/mcp`,
    otlpUrl: `http://127.0.0.1:${collector}`,
    pid: server.pid,
    output: server.output,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
