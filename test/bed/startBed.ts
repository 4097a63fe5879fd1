import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../kit/eventually.ts";
import { startAlertmanager } from "../kit/startAlertmanager.ts";
import { startAutotel } from "../kit/startAutotel.ts";
import { startProcess } from "../kit/startProcess.ts";
import { startPrometheus } from "../kit/startPrometheus.ts";
import { tempDir } from "../kit/tempDir.ts";
import type { Fault } from "./fault.ts";
import { type BedServer, type BedUrls, korvusYaml } from "./korvusYaml.ts";
import type { LoadConfig } from "./load.ts";
import { type Names, type Role, roles } from "./roles.ts";
import { alertRules } from "./rules.ts";
import type { ServiceConfig } from "./service.ts";

export interface BedOptions {
  /** For everything random in services and load. Default 1. */
  readonly seed?: number;
  /** The name that each service shows in metrics, traces, logs and alerts. Default: that of its role. */
  readonly names?: Partial<Names>;
  /** Default: 20 requests a second, at most 20,000 of them, for at most 15 minutes. */
  readonly load?: Partial<Pick<LoadConfig, "rate" | "count" | "seconds">>;
  /** Where Alertmanager posts its notifications. Default: nowhere. */
  readonly webhook?: string;
}

export interface Bed extends AsyncDisposable {
  /** Of the service that the load goes to, without a path. */
  readonly url: string;
  readonly urls: BedUrls & Readonly<Record<Role, string>>;
  readonly names: Names;
  /** Turns a fault on, one of each kind at a time; the next of the same kind replaces its amount. */
  fault(role: Role, fault: Fault): Promise<void>;
  /** Turns all faults of one service off, or of all. */
  heal(role?: Role): Promise<void>;
  /** Writes a `korvus.yaml` whose MCP servers reach this bed (default: all four), and returns its path. */
  korvusYaml(options?: { readonly servers?: readonly BedServer[]; readonly dir?: string }): Promise<string>;
}

/**
 * Three services under load, Prometheus with four alert rules, Alertmanager and autotel-mcp. Resolves, after about
 * seven seconds, when all three are scraped. Nothing of it outlives its disposal or a failed start.
 */
export async function startBed(options: BedOptions = {}): Promise<Bed> {
  await using stack = new AsyncDisposableStack();
  const seed = options.seed ?? 1;
  const names: Names = { checkout: "checkout", inventory: "inventory", payments: "payments", ...options.names };
  const dir = stack.use(await tempDir());

  const [autotel, alertmanager] = await useAll(
    stack,
    startAutotel(),
    startAlertmanager(options.webhook === undefined ? {} : { webhook: options.webhook }),
  );
  const service = (role: Role, urls: Partial<Record<Role, string>> = {}) => {
    const { route, work, calls } = roles[role];
    const callees = calls.map((callee) => ({ name: names[callee], url: `${urls[callee]}${roles[callee].route}` }));
    return startService({ name: names[role], route, work, calls: callees, otlpUrl: autotel.otlpUrl, seed });
  };
  const [inventory, payments] = await useAll(stack, service("inventory"), service("payments"));
  const checkout = stack.use(await service("checkout", { inventory: inventory.url, payments: payments.url }));
  const services: Readonly<Record<Role, string>> = {
    checkout: checkout.url,
    inventory: inventory.url,
    payments: payments.url,
  };
  const load: LoadConfig = {
    rate: 20,
    count: 20_000,
    seconds: 900,
    ...options.load,
    url: `${checkout.url}${roles.checkout.route}`,
    seed,
  };
  stack.use(startProcess(process.execPath, [join(import.meta.dirname, "load.ts"), JSON.stringify(load)]));
  const prometheus = stack.use(
    await startPrometheus({
      targets: Object.entries(services).map(([role, url]) => ({
        address: new URL(url).host,
        labels: { service: names[role as Role] },
      })),
      alertmanager: new URL(alertmanager.url).host,
      rules: alertRules,
    }),
  );
  const urls = { ...services, prometheus: prometheus.url, alertmanager: alertmanager.url, otel: autotel.mcpUrl };

  await eventually("all three services are scraped twice", async () => {
    const query = encodeURIComponent("sum(rate(http_requests_total[10s])) > 0 and sum(up) == 3");
    const response = await fetch(`${urls.prometheus}/api/v1/query?query=${query}`);
    const { data } = (await response.json()) as { data: { result: readonly unknown[] } };
    return data.result.length > 0;
  });

  const owned = stack.move();
  return {
    url: urls.checkout,
    urls,
    names,
    async fault(role, fault) {
      await send(`${urls[role]}/fault`, { method: "PUT", body: JSON.stringify(fault) });
    },
    async heal(role) {
      const healed = role === undefined ? (Object.keys(roles) as Role[]) : [role];
      await Promise.all(healed.map((one) => send(`${urls[one]}/fault`, { method: "DELETE" })));
    },
    async korvusYaml({ servers, dir: target = dir.path } = {}) {
      await mkdir(target, { recursive: true });
      const path = join(target, "korvus.yaml");
      await writeFile(path, korvusYaml(urls, servers));
      return path;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function startService(config: ServiceConfig): Promise<AsyncDisposable & { readonly url: string }> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(
    startProcess(process.execPath, [join(import.meta.dirname, "service.ts"), JSON.stringify(config)]),
  );
  const [, port] = await service.until(/^port (\d+)$/m);
  const owned = stack.move();
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Starts in parallel; when one fails, those that came up are the stack's to dispose. */
async function useAll<A extends AsyncDisposable, B extends AsyncDisposable>(
  stack: AsyncDisposableStack,
  ...starts: readonly [Promise<A>, Promise<B>]
): Promise<[A, B]> {
  const settled = await Promise.allSettled(starts);
  for (const start of settled) if (start.status === "fulfilled") stack.use(start.value);
  return Promise.all(starts);
}

async function send(url: string, init: RequestInit): Promise<void> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${init.method} ${url}: ${response.status} ${await response.text()}`);
}
