import { cors as connectCors } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import type { Sessions } from "../session/session.ts";
import { SessionService } from "../wire/session_pb.ts";
import { SystemService } from "../wire/system_pb.ts";
import { WorkspaceService } from "../wire/workspace_pb.ts";
import type { Workspaces } from "../workspace/workspace.ts";
import { ApiConfigError } from "./apiError.ts";
import { errorInterceptor } from "./apiErrors.ts";
import { allowedOrigin, gate } from "./gate.ts";
import { isLoopback } from "./hosts.ts";
import { PortServer } from "./portServer.ts";
import { type ApiRequest, type ApiResponse, answer, refuse } from "./refuse.ts";
import { sessionService } from "./sessionService.ts";
import { systemService } from "./systemService.ts";
import type { SystemView } from "./systemView.ts";
import { tokenCheck } from "./tokens.ts";
import { workspaceService } from "./workspaceService.ts";

export interface ApiOptions {
  readonly listen: { readonly host: string; readonly port: number };
  /** Bearer tokens, or `sha256:` and their digests. Without any, only loopback may be listened on. */
  readonly tokens: readonly string[];
  /** Of pages elsewhere that may use it. */
  readonly origins: readonly string[];
  readonly sessions: Sessions;
  readonly workspaces: Pick<Workspaces, "sources" | "resolve">;
  readonly system: SystemView;
  /** Rejects while the process can take no work, with the reason. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits?: Partial<ApiLimits>;
}

interface ApiLimits {
  /** Of a request, bytes, also after decompression. */
  readonly body: number;
  /** Streams that are open at once: sessions that are watched or exported. */
  readonly streams: number;
  readonly connections: number;
}

const usualLimits: ApiLimits = { body: 1024 * 1024, streams: 2_000, connections: 4_000 };
const readyTimeout = 2_000;

export interface RunningApi {
  /** `http://127.0.0.1:7700` */
  readonly url: string;
  /** Takes no more requests; streams end after `patience` ms. */
  close(patience: number): Promise<void>;
}

/** Throws `ApiConfigError` where anybody could use the API: on another address than loopback a token is needed. */
export function checkListen({ listen: { host }, tokens }: Pick<ApiOptions, "listen" | "tokens">): void {
  if (tokens.length > 0 || isLoopback(host)) return;
  throw new ApiConfigError(
    "open-without-token",
    `the API would be open to everybody who reaches ${host}: set server.tokens, or listen on 127.0.0.1`,
  );
}

/** Connect, gRPC-Web and gRPC on one port. Rejects with `ApiConfigError`. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  checkListen(options);
  const { listen, tokens, origins, sessions, workspaces, system, log, clock } = options;
  const limits = { ...usualLimits, ...options.limits };
  const ended = new AbortController();
  const handler = connectNodeAdapter({
    interceptors: [errorInterceptor({ log, clock })],
    readMaxBytes: limits.body,
    // A misspelt field is told, not passed over.
    jsonOptions: { ignoreUnknownFields: false },
    shutdownSignal: ended.signal,
    routes: (router) => {
      router.service(SystemService, systemService(system, clock));
      router.service(WorkspaceService, workspaceService(workspaces));
      router.service(SessionService, sessionService(sessions, limits.streams));
    },
    fallback: (_request, response) => answer(response, 404, { code: "not_found", message: "there is nothing here" }),
  });
  const letIn = gate({
    origins,
    maxBody: limits.body,
    ...(tokens.length > 0 ? { checkToken: tokenCheck(tokens) } : {}),
  });

  async function health(path: string, response: ApiResponse): Promise<void> {
    if (path === "/healthz") return answer(response, 200, { status: "up" });
    try {
      await options.ready(AbortSignal.timeout(readyTimeout));
      answer(response, 200, { status: "ready" });
    } catch (error) {
      log.warn({}, `not ready: ${(error as Error).message}`);
      answer(response, 503, { status: "not ready" });
    }
  }

  const server = new PortServer((request: ApiRequest, response: ApiResponse) => {
    const [path = ""] = (request.url ?? "").split("?", 1);
    if (request.method === "GET" && (path === "/healthz" || path === "/readyz")) return void health(path, response);
    const origin = allowedOrigin(request.headers.origin, origins);
    if (origin !== undefined) allowReading(response, origin);
    if (request.method === "OPTIONS" && origin !== undefined) {
      response.statusCode = 204;
      response.end();
      return;
    }
    const refusal = letIn(request.headers);
    if (refusal) return refuse(request, response, refusal);
    handler(request, response);
  });
  let port: number;
  try {
    port = await server.listen({ ...listen, maxConnections: limits.connections });
  } catch (cause) {
    const message = `${listen.host}:${listen.port} cannot be listened on: ${(cause as Error).message}`;
    throw new ApiConfigError("cannot-listen", `${message}\nserver.listen or --listen names another address`, { cause });
  }
  return {
    url: `http://${listen.host.includes(":") ? `[${listen.host}]` : listen.host}:${port}`,
    async close(patience) {
      ended.abort(new Error("the server is to stop"));
      await server.close(patience);
    },
  };
}

function allowReading(response: ApiResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "origin");
  response.setHeader("access-control-allow-methods", connectCors.allowedMethods.join(", "));
  response.setHeader("access-control-allow-headers", [...connectCors.allowedHeaders, "authorization"].join(", "));
  response.setHeader("access-control-expose-headers", connectCors.exposedHeaders.join(", "));
  response.setHeader("access-control-max-age", "3600");
}
