/** One service of the bed, a process of its own: `node service.ts '<ServiceConfig as JSON>'`. Prints its port. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { faultSwitch } from "./fault.ts";
import { serviceMetrics } from "./metrics.ts";
import { connectionPool } from "./pool.ts";
import { seededRandom } from "./random.ts";
import { parseTraceparent, type Span, telemetry } from "./telemetry.ts";

export interface ServiceConfig {
  readonly name: string;
  readonly route: string;
  /** Milliseconds of work of its own, at the median. */
  readonly work: number;
  /** Called one after the other. */
  readonly calls: readonly { readonly name: string; readonly url: string }[];
  readonly otlpUrl: string;
  readonly seed: number;
}

const config = JSON.parse(process.argv[2] ?? "") as ServiceConfig;
const random = seededRandom(config.seed, config.name);
const pool = connectionPool();
const faults = faultSwitch(pool, random);
const metrics = serviceMetrics(pool);
const otel = telemetry(config.name, config.otlpUrl, random);

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    response.statusCode = 400;
    response.end(`${error instanceof Error ? error.message : String(error)}\n`);
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log(`port ${(server.address() as AddressInfo).port}`);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://service");
  if (pathname === config.route) return work(request, response);
  if (pathname === "/metrics") return void response.end(await metrics.text());
  if (pathname === "/fault" && request.method === "PUT") {
    faults.set(JSON.parse(await text(request)));
    return void response.end();
  }
  if (pathname === "/fault" && request.method === "DELETE") {
    faults.clear();
    return void response.end();
  }
  response.statusCode = 404;
  response.end();
}

async function work(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const started = performance.now();
  const method = request.method ?? "GET";
  const header = request.headers["traceparent"];
  const parent = parseTraceparent(typeof header === "string" ? header : undefined);
  const span = otel.span("server", `${method} ${config.route}`, parent);

  const failure = await perform(span).catch((error: unknown) => (error as Error).message);

  const status = failure === undefined ? 200 : 500;
  const milliseconds = performance.now() - started;
  const attributes = { "http.request.method": method, "http.route": config.route };
  response.statusCode = status;
  response.end();
  metrics.request(config.route, status, milliseconds / 1000);
  span.end({ ...attributes, "http.response.status_code": status }, failure);
  const details = { ...attributes, status, duration_ms: milliseconds };
  if (failure !== undefined) otel.log("ERROR", `${config.route} failed: ${failure}`, span.context, details);
  else if (milliseconds > 400) otel.log("WARN", `${config.route} was slow`, span.context, details);
  else otel.log("INFO", `${config.route} done`, span.context, details);
}

/** The work itself; undefined, or throws what went wrong. */
async function perform(span: Span): Promise<undefined> {
  await query(span);
  await faults.suffer();
  for (const callee of config.calls) await call(callee, span);
}

async function query(parent: Span): Promise<void> {
  const span = otel.span("internal", "db.query", parent.context);
  try {
    const release = await pool.acquire();
    await delay(config.work * (0.6 + 0.8 * random.next()));
    release();
    span.end({ "db.system.name": "postgresql" });
  } catch (error) {
    span.end({ "db.system.name": "postgresql" }, (error as Error).message);
    throw error;
  }
}

async function call({ name, url }: ServiceConfig["calls"][number], parent: Span): Promise<void> {
  const { pathname, hostname } = new URL(url);
  const span = otel.span("client", `POST ${pathname}`, parent.context);
  const attributes = { "http.request.method": "POST", "server.address": hostname, "peer.service": name };
  const failure = await fetch(url, { method: "POST", headers: { traceparent: span.traceparent } }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok ? undefined : `${name} answered ${response.status}`;
    },
    (error: unknown) => `${name} cannot be reached: ${(error as Error).message}`,
  );
  span.end(attributes, failure);
  if (failure !== undefined) throw new Error(failure);
}
