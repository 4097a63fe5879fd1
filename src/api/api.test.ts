import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import {
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../test/kit/eventually.ts";
import { gitRepository } from "../../test/kit/gitRepository.ts";
import { needs } from "../../test/kit/needs.ts";
import { reportCall } from "../../test/kit/probeRun.ts";
import { sessionGrounds } from "../../test/kit/sessionGrounds.ts";
import { localQueue } from "../fleet/localQueue.ts";
import type { StepInput } from "../model/model.ts";
import type { ScriptedAnswer } from "../model/scriptedModel.ts";
import { storedSessions } from "../session/sessions.ts";
import { startWorker } from "../session/worker.ts";
import { remoteSessions } from "./remoteSessions.ts";
import { type RunningApi, startApi } from "./startApi.ts";

const token = "a-token-for-these-tests";
const protos = join(import.meta.dirname, "../../proto");

/** A real server: store, queue, worker and probe server; only the model is scripted. */
async function served(
  options: {
    readonly tokens?: readonly string[];
    readonly streams?: number;
    readonly workspaces?: Readonly<Record<string, string>>;
  } = {},
) {
  const steps = ({ messages }: StepInput): ScriptedAnswer => {
    const before = messages.filter(({ role }) => role === "assistant").length;
    if (messages.some((message) => message.role === "user" && message.text.includes("for ever")))
      return { delay: 60_000, text: "" };
    return before % 2 === 0
      ? { calls: [{ name: "probe_echo", arguments: { text: `call ${before}` } }] }
      : { calls: [reportCall("likely", [before, "probe"])] };
  };
  await using stack = new AsyncDisposableStack();
  const grounds = stack.use(await sessionGrounds({ steps, workspaces: options.workspaces ?? {} }));
  const { surroundings, log } = grounds;
  const queue = stack.use(localQueue({ clock: surroundings.clock, log, waiting: async () => [] }));
  stack.use(await startWorker(queue, surroundings, 20));
  const { catalog, registry, store, clock, workspaces } = surroundings;
  const api = await startApi({
    listen: { host: "127.0.0.1", port: 0 },
    tokens: options.tokens ?? [token],
    origins: ["https://ops.example"],
    sessions: storedSessions(surroundings, queue),
    workspaces,
    system: {
      version: "1.2.3",
      catalog,
      dropped: [{ name: "loki-logs", mcpServer: "loki", reason: "loki is not configured" }],
      model: "scripted",
      promptTokens: 7,
      servers: () => registry.states(),
      store,
    },
    ready: (signal) => store.ping(signal),
    log,
    clock,
    limits: { streams: options.streams ?? 2_000 },
  });
  stack.defer(() => api.close(500));
  const owned = stack.move();
  return { ...api, log, clock, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

let server: Awaited<ReturnType<typeof served>>;
beforeAll(async () => {
  server = await served();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const sessionsOf = (api: Pick<RunningApi, "url">, given: string | undefined = token) =>
  remoteSessions({
    url: api.url,
    log: server.log,
    clock: server.clock,
    ...(given === undefined ? {} : { token: given }),
  });

/** A POST of JSON as any program makes it. */
async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  api: Pick<RunningApi, "url"> = server,
) {
  const response = await fetch(`${api.url}/korvus.v1.${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

interface GrpcClient {
  createSession(
    request: object,
    metadata: Metadata,
    done: (error: Error | null, answer: { session: { id: string } }) => void,
  ): void;
  watchSession(request: object, metadata: Metadata): ClientReadableStream<{ sequence: string; type: string }>;
  close(): void;
}

function grpcClient(given = token): { readonly client: GrpcClient; readonly metadata: Metadata } {
  const definition = loadSync("korvus/v1/session.proto", { includeDirs: [protos], longs: String, enums: String });
  const loaded = loadPackageDefinition(definition) as unknown as {
    korvus: { v1: { SessionService: ServiceClientConstructor } };
  };
  const client = new loaded.korvus.v1.SessionService(server.url.replace("http://", ""), credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${given}`);
  return { client: client as unknown as GrpcClient, metadata };
}

test("a third-party gRPC client makes a session and watches it to its report", async () => {
  const { client, metadata } = grpcClient();

  const { session } = await new Promise<{ session: { id: string } }>((resolve, reject) => {
    client.createSession({ question: "why is checkout slow?" }, metadata, (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
  });
  const events: { sequence: string; type: string }[] = [];
  for await (const event of client.watchSession({ id: session.id }, metadata))
    events.push(event as (typeof events)[number]);
  client.close();

  expect(events.map(({ sequence }) => Number(sequence))).toEqual(events.map((_, index) => index + 1));
  expect(events[0]?.type).toBe("session.created");
  expect(events.at(-1)?.type).toBe("run.ended");
});

test("a gRPC client with a wrong token is told in its own protocol", async () => {
  const { client, metadata } = grpcClient("wrong-token-of-some-length");

  const failure = await new Promise<{ code: number; details: string }>((resolve) => {
    client.createSession({ question: "why?" }, metadata, (error) =>
      resolve(error as unknown as { code: number; details: string }),
    );
  });
  client.close();

  expect(failure).toMatchObject({ code: 16, details: expect.stringContaining("token") });
});

test("plain curl lists skills and reads the status", async () => {
  const curl = async (path: string) => {
    const args = [
      "-s",
      "-X",
      "POST",
      "-H",
      "content-type: application/json",
      "-H",
      `authorization: Bearer ${token}`,
      "-d",
      "{}",
    ];
    return JSON.parse(
      (await promisify(execFile)("curl", [...args, `${server.url}/korvus.v1.${path}`])).stdout,
    ) as unknown;
  };

  expect(await curl("SystemService/ListSkills")).toMatchObject({
    skills: [{ name: "deployed", mcpServer: "probe" }],
    dropped: [{ name: "loki-logs", reason: "loki is not configured" }],
  });
  expect(await curl("SystemService/GetSystemStatus")).toMatchObject({
    version: "1.2.3",
    skillsLoaded: 1,
    model: "scripted",
    servers: [{ name: "probe", state: "connected", transport: "stdio" }],
    store: { kind: "sqlite" },
  });
});

test("a skill is shown with its body, a dropped one with its reason", async () => {
  expect((await post("SystemService/GetSkill", { name: "deployed" })).body).toMatchObject({
    loaded: { body: "MARKER of the deployment.", skill: { tokens: expect.any(Number) } },
  });
  expect((await post("SystemService/GetSkill", { name: "loki-logs" })).body).toMatchObject({
    dropped: { mcpServer: "loki" },
  });
  expect(await post("SystemService/GetSkill", { name: "x" })).toMatchObject({
    status: 404,
    body: { code: "not_found" },
  });
});

test("gRPC-Web asks on the same port", async () => {
  const response = await fetch(`${server.url}/korvus.v1.SystemService/GetSystemStatus`, {
    method: "POST",
    headers: { "content-type": "application/grpc-web+proto", authorization: `Bearer ${token}` },
    body: new Uint8Array(5),
  });

  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.status).toBe(200);
  expect(bytes.toString("latin1")).toContain("grpc-status: 0");
});

test("a client of ours sees the same session, report, prompt and evidence as whoever has the store", async () => {
  const sessions = sessionsOf(server);

  const { id } = await sessions.create(
    { question: "why?", queued: true, window: { since: 60_000 } },
    AbortSignal.timeout(9_000),
  );
  const events = await Array.fromAsync(sessions.watch(id, { after: 0 }, AbortSignal.timeout(9_000)));
  const again = await sessions.send(id, { question: "and now?", messageId: "m1" });
  await sessions.send(id, { question: "and now?", messageId: "m1" });
  const more = await Array.fromAsync(sessions.watch(id, { after: events.length }, AbortSignal.timeout(9_000)));

  expect(events.find(({ type }) => type === "run.started")).toMatchObject({ question: "why?" });
  expect(again).toMatchObject({ id, messages: 2 });
  expect(more.filter(({ type }) => type === "run.ended")).toHaveLength(1);
  expect(await sessions.report(id)).toMatchObject({
    report: {
      v: 1,
      question: "and now?",
      verdict: "likely",
      coverage: { servers: [{ server: "probe", state: "answered" }] },
    },
    run: { ended: "reported" },
  });
  expect((await sessions.prompt(id)).text).toContain("MARKER of the deployment.");
  expect(await sessions.result(id, 1)).toMatchObject({ content: [{ text: "call 0" }] });
  expect(await sessions.result(id, 99)).toBeUndefined();
  expect((await sessions.list({ limit: 500 })).sessions.map((row) => row.id)).toContain(id);
  await expect(sessions.get("ffffffffffffffff")).rejects.toMatchObject({ code: "not-found", name: "SessionError" });
  await expect(sessions.create({ question: " ", queued: true }, AbortSignal.timeout(9_000))).rejects.toMatchObject({
    code: "invalid",
  });
});

test(
  "a session pinned through the API has its commit's skills, or none and says why; never the deployment's",
  needs("git"),
  async () => {
    const skill = "---\nname: pinned\nmcp_server: probe\n---\nOF THE COMMIT\n";
    await using repository = await gitRepository({ "skills/a.md": skill });
    repository.git("tag", "good");
    repository.commit({ "skills/b.md": "no header" });
    await using open = await served({ workspaces: { payments: repository.path } });
    const make = async (ref: string) =>
      (await post("SessionService/CreateSession", { question: "why?", workspace: { name: "payments", ref } }, {}, open))
        .body as {
        session: { id: string; noSkills?: string; workspace: object };
      };
    const promptOf = async (id: string) =>
      (await post("SessionService/GetPrompt", { id }, {}, open)).body["text"] as string;

    const [good, bad] = [await make("good"), await make("main")];
    const listedRef = await post("WorkspaceService/ResolveRef", { workspace: "payments", ref: "good" }, {}, open);

    expect(good.session.workspace).toEqual({ name: "payments", ref: "good", commit: listedRef.body["commit"] });
    expect(await promptOf(good.session.id)).toContain("OF THE COMMIT");
    expect(bad.session.noSkills).toMatch(/skills\/b\.md at [0-9a-f]{7} is broken/);
    for (const { session } of [good, bad]) expect(await promptOf(session.id)).not.toContain("MARKER");
    expect(await promptOf(bad.session.id)).not.toContain("# Skills");
    expect(
      (
        await post(
          "SessionService/CreateSession",
          { question: "why?", workspace: { name: "payments", ref: "nope" } },
          {},
          open,
        )
      ).status,
    ).toBe(404);
  },
);

test("a stream that is cut goes on where it was: nothing is lost, nothing comes twice, and the session does not notice", async () => {
  // Between client and server, a wire that breaks every few hundred bytes.
  const { createServer } = await import("node:net");
  let cuts = 0;
  const wire = createServer((client) => {
    const upstream = connect(Number(new URL(server.url).port), "127.0.0.1");
    client.pipe(upstream);
    let passed = 0;
    upstream.on("data", (chunk: Buffer) => {
      passed += chunk.length;
      if (passed > 2_500 && cuts < 4) {
        cuts++;
        client.write(chunk.subarray(0, 100));
        client.destroy();
        upstream.destroy();
      } else client.write(chunk);
    });
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  }).listen(0, "127.0.0.1");
  await once(wire, "listening");
  const { port } = wire.address() as { port: number };
  const { id } = await sessionsOf(server).create({ question: "why?", queued: true }, AbortSignal.timeout(9_000));
  const whole = await Array.fromAsync(sessionsOf(server).watch(id, { after: 0 }, AbortSignal.timeout(9_000)));

  const broken = sessionsOf({ url: `http://127.0.0.1:${port}` });
  const events = await Array.fromAsync(broken.watch(id, { after: 0 }, AbortSignal.timeout(20_000)));
  wire.close();

  expect(cuts).toBeGreaterThan(0);
  expect(events).toEqual(whole);
});

test("closing a stream cancels nothing; a cancel does", async () => {
  const sessions = sessionsOf(server);
  const { id } = await sessions.create({ question: "look for ever", queued: true }, AbortSignal.timeout(9_000));
  for await (const event of sessions.watch(id, { after: 0 }, AbortSignal.timeout(9_000)))
    if (event.type === "step.started") break;
  expect(await sessions.get(id)).toMatchObject({ status: "running" });

  await sessions.cancel(id);
  const events = await Array.fromAsync(sessions.watch(id, { after: 0 }, AbortSignal.timeout(9_000)));

  expect(events.at(-1)).toMatchObject({ type: "run.ended", reason: "cancelled" });
});

test.each<[string, () => ReturnType<typeof post>, number]>([
  ["no token", () => post("SystemService/ListSkills", {}, { authorization: "" }), 401],
  ["a wrong token", () => post("SystemService/ListSkills", {}, { authorization: "Bearer nope" }), 401],
  ["a foreign origin", () => post("SystemService/ListSkills", {}, { origin: "https://evil.example" }), 403],
  ["a body that is no JSON", () => post("SystemService/ListSkills", "{"), 400],
  ["a field that there is not", () => post("SystemService/ListSkills", { nope: 1 }), 400],
  ["a negative sequence", () => post("SessionService/ListSessions", { pageSize: -1 }), 400],
  ["a cursor of somebody's own", () => post("SessionService/ListSessions", { pageToken: "x" }), 400],
  ["a call of number nothing", () => post("SessionService/GetResult", { id: "x", call: 0 }), 400],
  ["an unknown workspace", () => post("WorkspaceService/ResolveRef", { workspace: "x" }), 404],
  ["a method that there is not", () => post("SessionService/Nope", {}), 404],
  [
    "a bomb of zeros",
    () => post("SystemService/ListSkills", gzipSync(Buffer.alloc(50_000_000)), { "content-encoding": "gzip" }),
    429,
  ],
])("%s is refused with a code and no internals", async (_, ask, status) => {
  const { status: got, body } = await ask();

  expect(got).toBe(status);
  expect(body).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:|at \w+ \(/);
});

test("an allowed origin may read, and its preflight needs no token", async () => {
  const preflight = await fetch(`${server.url}/korvus.v1.SystemService/ListSkills`, {
    method: "OPTIONS",
    headers: { origin: "https://ops.example", "access-control-request-method": "POST" },
  });
  const { status, headers } = await post("SystemService/ListSkills", {}, { origin: "https://ops.example" });

  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("https://ops.example");
  expect([status, headers.get("access-control-allow-origin")]).toEqual([200, "https://ops.example"]);
});

test("a body of 100 MB is refused before it is read", async () => {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `POST /korvus.v1.SessionService/CreateSession HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n`,
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 429/);
});

test("without tokens only this machine is served, and only under a name of its own", async () => {
  await using open = await served({ tokens: [] });
  const rebound = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(open.url).port), "127.0.0.1");
    socket.once("data", (data: Buffer) => resolve(data.toString()));
    socket.write(
      "POST /korvus.v1.SystemService/ListSkills HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
    );
  });

  expect(rebound).toMatch(/^HTTP\/1\.1 403/);
  expect((await post("SystemService/ListSkills", {}, { authorization: "" }, open)).status).toBe(200);
});

test("an address that others reach needs a token before anything is listened on", async () => {
  const options = { listen: { host: "0.0.0.0", port: 0 }, tokens: [] } as unknown as Parameters<typeof startApi>[0];

  await expect(startApi(options)).rejects.toMatchObject({ code: "open-without-token" });
});

test("health needs no token", async () => {
  const get = async (path: string) => await (await fetch(`${server.url}${path}`)).json();

  expect(await get("/healthz")).toEqual({ status: "up" });
  expect(await get("/readyz")).toEqual({ status: "ready" });
});

test("a thousand idle streams cost little, and one too many is told so", async () => {
  await using many = await served({ streams: 1_000 });
  const sessions = sessionsOf(many);
  const { id } = await sessions.create({ question: "look for ever", queued: true }, AbortSignal.timeout(9_000));
  const leave = new AbortController();
  const before = process.memoryUsage().heapUsed;
  const open = new Set<number>();

  const streams = Array.from({ length: 1_000 }, async (_, index) => {
    for await (const event of sessions.watch(id, { after: 0 }, leave.signal)) if (event.seq === 1) open.add(index);
  });
  await eventually("all are open", () => open.size === 1_000, 40_000);
  const perStream = (process.memoryUsage().heapUsed - before) / 1_000;

  const oneMore = Array.fromAsync(sessions.watch(id, { after: 0 }, AbortSignal.timeout(9_000)));
  await expect(oneMore).rejects.toMatchObject({ message: expect.stringContaining("1000 streams are open") });
  expect((await fetch(`${many.url}/healthz`)).status).toBe(200);
  leave.abort();
  await Promise.all(streams);
  // Both ends of it are in this process.
  expect(perStream).toBeLessThan(500_000);
}, 60_000);

test("a client that sends half a request does not keep a connection for ever", async () => {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.resume();
  socket.write("PO");

  const [hadError] = (await once(socket, "close")) as [boolean];

  expect(hadError).toBe(false);
}, 30_000);
