/** A backend that teams commonly run, where it usually answers, and the MCP server that speaks for it. Pure data. */
interface UsualBackend {
  /** The server's name in `korvus.yaml`, which the shipped skills refer to. */
  readonly name: string;
  readonly title: string;
  /** Where it listens unless somebody moved it; absent: it is not looked for. */
  readonly url?: string;
  /** Path below `url` that answers 200 when the backend is up. */
  readonly healthPath: string;
  /** The entry below `mcp.servers`, for a backend at `url`. */
  server(url: string): StarterServer;
  /** `id` of the preset that names tools which only read although the server declares nothing: unnamed, none would run. */
  readonly readsOfPreset?: string;
  /** What an operator should know beside the entry, one line each. */
  readonly notes: readonly string[];
}

type StarterServer =
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

const npx = (packageName: string, args: readonly string[], env: Readonly<Record<string, string>>): StarterServer => ({
  command: "npx",
  args: ["-y", packageName, ...args],
  env,
});

const usualBackends: readonly UsualBackend[] = [
  {
    name: "prometheus",
    title: "Prometheus",
    url: "http://127.0.0.1:9090",
    healthPath: "/-/ready",
    server: (url) => npx("prometheus-mcp@1.1.3", ["stdio"], { PROMETHEUS_URL: url }),
    notes: [],
  },
  {
    name: "alertmanager",
    title: "Alertmanager",
    url: "http://127.0.0.1:9093",
    healthPath: "/-/ready",
    server: (url) => npx("mcp-alertmanager@2.1.1", [], { ALERTMANAGER_URL: url }),
    notes: ["createSilence and deleteSilence write: they do not run unless policy.allow names them"],
  },
  {
    name: "tempo",
    title: "Tempo",
    url: "http://127.0.0.1:3200",
    healthPath: "/ready",
    server: (url) => ({ url: `${url}/api/mcp` }),
    notes: ["Tempo's own MCP server: query_frontend.mcp_server.enabled must be true in Tempo"],
  },
  {
    name: "grafana",
    title: "Grafana",
    url: "http://127.0.0.1:3000",
    healthPath: "/api/health",
    server: (url) =>
      npx("@leval/mcp-grafana@1.1.7", [], { GRAFANA_URL: url, GRAFANA_SERVICE_ACCOUNT_TOKEN: "${GRAFANA_TOKEN}" }),
    readsOfPreset: "mcp-grafana",
    notes: ["reaches Loki, Prometheus and Tempo through Grafana's data sources"],
  },
  {
    name: "otel",
    title: "autotel-mcp",
    healthPath: "/",
    server: (url) => ({ url }),
    notes: ["traces and logs over OTLP"],
  },
];

/** Those that answer on their usual port, or at the addresses that are given. Asks loopback only where nothing is given. */
export async function findBackends(
  given: Readonly<Record<string, string>>,
  { signal, timeout = 1500 }: { readonly signal: AbortSignal; readonly timeout?: number },
): Promise<readonly FoundBackend[]> {
  const found = await Promise.all(
    usualBackends.map(async (backend): Promise<FoundBackend | undefined> => {
      const url = (given[backend.name] ?? backend.url)?.replace(/\/+$/, "");
      if (url === undefined) return undefined;
      const isGiven = given[backend.name] !== undefined;
      const up = await answers(`${url}${backend.healthPath}`, AbortSignal.any([signal, AbortSignal.timeout(timeout)]));
      return isGiven || up ? { backend, url, up, isGiven } : undefined;
    }),
  );
  return found.filter((backend) => backend !== undefined);
}

export interface FoundBackend {
  readonly backend: UsualBackend;
  readonly url: string;
  /** It answered just now. */
  readonly up: boolean;
  /** Its address was given, and it is taken whether it answers or not. */
  readonly isGiven: boolean;
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, { signal, redirect: "manual" });
    await response.body?.cancel();
    return response.ok;
  } catch {
    // Nothing there, or not in time: that is the answer.
    return false;
  }
}
