import { join } from "node:path";

/** How to run a program that nobody here wrote, from `test/servers` (installed by `npm test`). */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

const installed = join(import.meta.dirname, "../servers/node_modules");

function binary(name: string): Program {
  return { command: join(installed, name, "bin", name), args: [] };
}

/** Runs on the very Node that runs the tests: a bare `node` is what PATH happens to hold. */
function script(path: string, ...args: string[]): Program {
  return { command: process.execPath, args: [join(installed, path), ...args] };
}

/** MCP servers over stdio, unless said otherwise. Those ending in Go need linux on amd64: `needs("go-servers")`. */
export const thirdParty = {
  /** Go. 11 tools; wants `PROMETHEUS_URL` or `--url`. */
  prometheusGo: binary("mcp-prometheus-linux-amd64"),
  /** 10 tools; wants `PROMETHEUS_URL`. */
  prometheusNode: script("prometheus-mcp/dist/index.mjs", "stdio"),
  /** Go. 12 tools, two of them write; wants `ALERTMANAGER_URL`. */
  alertmanagerGo: binary("mcp-alertmanager-linux-amd64"),
  /** Go. Finds a kubeconfig by itself: give it a HOME of its own. */
  kubernetesGo: binary("kubernetes-mcp-server-linux-amd64"),
  /** OTLP receiver and MCP server in one; ignores the end of its stdin. `startAutotel` runs it over HTTP. */
  autotel: script("autotel-mcp/bin/autotel-mcp"),
  /** `stdio` (default), `sse` or `streamableHttp` as a further argument. */
  everything: script("@modelcontextprotocol/server-everything/dist/index.js"),
  /** Wants the allowed directories as further arguments. */
  filesystem: script("@modelcontextprotocol/server-filesystem/dist/index.js"),
  /** 43 tools without annotations. */
  grafana: script("@leval/mcp-grafana/dist/cli.js"),
  /** The conformance runner: `client --command ... --scenario ...`, `list`. */
  conformance: script("@modelcontextprotocol/conformance/dist/index.js"),
} as const satisfies Readonly<Record<string, Program>>;
