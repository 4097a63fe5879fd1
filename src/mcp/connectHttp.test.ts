import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventually } from "../../test/kit/eventually.ts";
import { freePort } from "../../test/kit/freePort.ts";
import { ordinaryAnswer, startHttp } from "../../test/mcp/startHttp.ts";
import { http, never, reading, textOf, withRegistry } from "../../test/mcp/withRegistry.ts";

type Answer = Parameters<typeof startHttp>[0];
const json = (reply: Parameters<Answer>[1], status: number, body: unknown, headers: Record<string, string> = {}) =>
  reply.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** An ordinary server, but for what `odd` answers itself. */
const ordinary =
  (odd: (...args: Parameters<Answer>) => boolean): Answer =>
  (request, reply) => {
    if (odd(request, reply)) return;
    const answer = ordinaryAnswer(request.rpc);
    if (request.method !== "POST") reply.writeHead(405).end();
    else if (request.rpc.id === undefined) reply.writeHead(202).end();
    else if (answer) json(reply, 200, answer, request.rpc.method === "initialize" ? { "mcp-session-id": "s1" } : {});
    else
      json(reply, 200, { jsonrpc: "2.0", id: request.rpc.id, result: { content: [{ type: "text", text: "seen" }] } });
  };

test("configured headers go with every request", async () => {
  const tokens: unknown[] = [];
  await using server = await startHttp(
    ordinary(({ headers }) => {
      tokens.push(headers["authorization"]);
      return false;
    }),
  );
  await using started = await withRegistry([http("double", server.url, { Authorization: "Bearer t0ken" })]);

  const outcome = await started.registry.call("double", "look", {}, reading);

  expect(textOf(outcome)).toBe("seen");
  expect(tokens.length).toBeGreaterThan(4);
  expect(new Set(tokens)).toEqual(new Set(["Bearer t0ken"]));
});

test("a server that wants OAuth is named as not supported yet, with what works instead", async () => {
  await using server = await startHttp((_, reply) =>
    json(reply, 401, {}, { "www-authenticate": 'Bearer resource_metadata="http://127.0.0.1:1/meta"' }),
  );
  await using started = await withRegistry([http("walled", server.url)]);

  const [state] = started.registry.states();

  expect(state?.state).toBe("failed");
  expect(state?.reason).toBe(
    "the server wants authorization (HTTP 401); OAuth is not supported yet, a token is: `headers: { Authorization: Bearer ... }`",
  );
  expect(server.requests).toEqual(["POST server/discover"]);
});

test("a token that the server refuses is not mistaken for a missing one", async () => {
  await using server = await startHttp((_, reply) => json(reply, 401, {}));
  await using started = await withRegistry([http("walled", server.url, { authorization: "Bearer old" })]);

  expect(started.registry.states()[0]?.reason).toBe(
    "the server refuses the configured Authorization header (HTTP 401)",
  );
});

test("a refused connection and a wrong address are said plainly, at once", async () => {
  const port = await freePort();
  await using started = await withRegistry([
    http("down", `http://127.0.0.1:${port}/mcp`),
    http("scheme", "tempo:3200/mcp"),
  ]);

  const reasons = started.registry.states().map(({ reason }) => reason);

  expect(reasons[0]).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
  expect(reasons[1]).toBe("not an http(s) address: tempo:3200/mcp");
});

test("a server that accepts and never answers fails within the time to connect", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address() as { port: number };
  const began = Date.now();

  await using started = await withRegistry([http("hung", `http://127.0.0.1:${address.port}/mcp`)], {
    connectTimeout: 1000,
  });

  expect(Date.now() - began).toBeLessThan(2000);
  expect(started.registry.states()).toMatchObject([{ state: "failed", reason: "it did not initialise within 1 s" }]);
  silent.close();
});

test("a server that is silent on the question for the 2026 protocol only is asked the older way", async () => {
  await using server = await startHttp(ordinary(({ rpc }) => rpc.method === "server/discover"));

  await using started = await withRegistry([http("old", server.url)]);

  expect(started.registry.connected()).toEqual(["old"]);
});

test("a call that hangs ends at its deadline", async () => {
  await using server = await startHttp(ordinary(({ rpc }) => rpc.method === "tools/call"));
  await using started = await withRegistry([http("hung", server.url)], { callTimeout: 300 });

  const outcome = await started.registry.call("hung", "look", {}, reading);

  expect(outcome).toMatchObject({ outcome: "timeout", reached: true });
  await eventually("the server is told", () => server.requests.includes("POST notifications/cancelled"));
});

test.each([400, 404])(
  "a session that the server forgot (HTTP %i) is made anew, and the call is sent again",
  async (status) => {
    let forgotten = true;
    await using server = await startHttp(
      ordinary(({ rpc }, reply) => {
        if (rpc.method !== "tools/call" || !forgotten) return false;
        forgotten = false;
        reply.writeHead(status).end("no such session");
        return true;
      }),
    );
    await using started = await withRegistry([http("double", server.url)]);

    const outcome = await started.registry.call("double", "look", {}, reading);

    expect(outcome).toMatchObject({ outcome: "ok", retried: true });
    expect(server.requests.filter((request) => request === "POST tools/list").length).toBe(2);
    expect(started.registry.states()).toMatchObject([{ state: "connected", retries: 1 }]);
  },
);

test("a call that may write is not sent again to a session that was forgotten, and surely did nothing", async () => {
  await using server = await startHttp(
    ordinary(({ rpc }, reply) => rpc.method === "tools/call" && Boolean(reply.writeHead(404).end("no such session"))),
  );
  await using started = await withRegistry([http("double", server.url)]);

  const outcome = await started.registry.call("double", "look", {}, { signal: never, readOnly: false });

  expect(outcome).toMatchObject({ outcome: "error", reached: false, retried: false, code: "not-connected" });
  expect(textOf(outcome)).toBe("look did not reach double: the server refused the request (HTTP 404): no such session");
});

test("an answer whose stream breaks off fails at once, not at its deadline", async () => {
  await using server = await startHttp(
    ordinary(({ rpc }, reply) => {
      if (rpc.method !== "tools/call") return false;
      reply.writeHead(200, { "content-type": "text/event-stream" }).write(": working\n\n");
      setTimeout(() => reply.destroy(), 50);
      return true;
    }),
  );
  await using started = await withRegistry([http("double", server.url)]);

  const outcome = await started.registry.call("double", "look", {}, { signal: never, readOnly: false });

  expect(outcome).toMatchObject({ outcome: "unknown", reached: true, code: "lost" });
  expect(outcome.ms).toBeLessThan(2000);
});

test("an answer that is no MCP, and a failing server, are results with what came", async () => {
  let status = 200;
  await using server = await startHttp(
    ordinary(({ rpc }, reply) => {
      if (rpc.method !== "tools/call") return false;
      reply.writeHead(status, { "content-type": "text/html" }).end("<h1>login</h1>");
      return true;
    }),
  );
  await using started = await withRegistry([http("double", server.url)]);

  const page = await started.registry.call("double", "look", {}, reading);
  status = 500;
  const broken = await started.registry.call("double", "look", {}, reading);

  expect(page).toMatchObject({ outcome: "error", reached: true, code: "protocol" });
  expect(textOf(page)).toContain("text/html");
  expect(broken).toMatchObject({ outcome: "error", reached: true, code: "protocol" });
  expect(textOf(broken)).toBe("HTTP 500: <h1>login</h1>");
});

test("cancelling a call ends it at once", async () => {
  await using server = await startHttp(ordinary(({ rpc }) => rpc.method === "tools/call"));
  await using started = await withRegistry([http("hung", server.url)]);
  const cancel = new AbortController();
  const call = started.registry.call("hung", "look", {}, { signal: cancel.signal, readOnly: true });
  const rejected = expect(call).rejects.toThrow("enough");
  await delay(100);

  const began = Date.now();
  cancel.abort(new Error("enough"));
  await rejected;

  expect(Date.now() - began).toBeLessThan(1000);
});

test("leaving tells the server that its session is over, and does not wait for one that hangs", async () => {
  await using server = await startHttp(ordinary(({ method }) => method === "DELETE"));
  await using started = await withRegistry([http("double", server.url)]);

  const began = Date.now();
  await started.registry.close();

  expect(Date.now() - began).toBeLessThan(2000);
  expect(server.requests).toContain("DELETE");
});

test.each(["application/json", "text/event-stream"])(
  "an answer without end (%s) fails its call in time",
  async (type) => {
    await using server = await startHttp(
      ordinary(({ rpc }, reply) => {
        if (rpc.method !== "tools/call") return false;
        reply.writeHead(200, { "content-type": type }).write("data: ");
        const more = () => {
          while (!reply.destroyed && reply.write("x".repeat(1_000_000)));
        };
        reply.on("drain", more);
        more();
        return true;
      }),
    );
    await using started = await withRegistry([http("double", server.url)]);

    const { outcome } = await started.registry.call("double", "look", {}, { ...reading, readOnly: false });

    expect(["error", "unknown"]).toContain(outcome);
  },
);
