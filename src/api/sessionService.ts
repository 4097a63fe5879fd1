import type { JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { CreateSession, Sessions } from "../session/session.ts";
import type { Budget, CreateSessionRequest, SessionService } from "../wire/session_pb.ts";
import { reportToWire } from "./reportWire.ts";
import { sessionToWire, statusFromWire, windowFromWire } from "./sessionWire.ts";

const usualPage = 50;
const largestPage = 500;
const longestText = 200;
/** Bytes of an export in one message: many gRPC clients take no more than 4 MiB. */
const largestPiece = 1024 * 1024;

/** RPCs on sessions. Requests are checked here; what errors become is settled in one place for all services. */
export function sessionService(sessions: Sessions, maxStreams: number): ServiceImpl<typeof SessionService> {
  let streams = 0;
  /** Room for one more stream, given back when it is disposed. */
  const openStream = (): Disposable => {
    if (streams >= maxStreams)
      throw new ConnectError(
        `${maxStreams} streams are open, which is the most: try again later`,
        Code.ResourceExhausted,
      );
    streams++;
    return { [Symbol.dispose]: () => streams-- };
  };
  return {
    async createSession(request, { signal }) {
      return { session: sessionToWire(await sessions.create(toRequest(request), signal)) };
    },
    async getSession({ id }) {
      return { session: sessionToWire(await sessions.get(needed("id", id))) };
    },
    async listSessions({ pageSize, pageToken, status, workspace, text }) {
      if (pageSize < 0 || pageSize > largestPage)
        throw invalid(`page_size is 1 to ${largestPage}, or 0 for ${usualPage}`);
      const wanted = statusFromWire(status);
      const page = await sessions.list({
        limit: pageSize === 0 ? usualPage : pageSize,
        ...(pageToken === "" ? {} : { cursor: bounded("page_token", pageToken) }),
        ...(wanted === undefined ? {} : { status: wanted }),
        ...(workspace === "" ? {} : { workspace: bounded("workspace", workspace) }),
        ...(text === "" ? {} : { text: bounded("text", text) }),
      });
      return { sessions: page.sessions.map(sessionToWire), nextPageToken: page.next ?? "" };
    },
    async *watchSession({ id, afterSequence, follow }, { signal }) {
      if (afterSequence < 0n) throw invalid("after_sequence must not be negative");
      using _stream = openStream();
      const after = Number(afterSequence);
      for await (const { seq, at, type, ...body } of sessions.watch(needed("id", id), { after, follow }, signal)) {
        yield { sequence: BigInt(seq), at: BigInt(at), type, body: body as unknown as JsonObject };
      }
    },
    async sendMessage({ id, question, window, messageId }) {
      const message = { question, ...(window ? { window: windowFromWire(window) } : {}) };
      const known = messageId === "" ? {} : { messageId: bounded("message_id", messageId) };
      return { session: sessionToWire(await sessions.send(needed("id", id), { ...message, ...known })) };
    },
    async cancelSession({ id }) {
      return { session: sessionToWire(await sessions.cancel(needed("id", id))) };
    },
    getPrompt: ({ id }) => sessions.prompt(needed("id", id)),
    async getReport({ id }) {
      const found = await sessions.report(needed("id", id));
      if (!found) throw new ConnectError("the session has no report yet", Code.NotFound);
      return { report: reportToWire(found.report), run: found.run as unknown as JsonObject };
    },
    async getResult({ id, call }) {
      if (call < 1) throw invalid("call is a number from 1 on");
      const result = await sessions.result(needed("id", id), call);
      if (result === undefined) throw new ConnectError(`no result was kept for call ${call}`, Code.NotFound);
      return { result: result as JsonObject };
    },
    async *exportSession({ id }) {
      using _stream = openStream();
      for await (const text of sessions.export(needed("id", id))) {
        const data = Buffer.from(text);
        for (let start = 0; start < data.length; start += largestPiece)
          yield { data: data.subarray(start, start + largestPiece) };
      }
    },
  };
}

function toRequest(request: CreateSessionRequest): CreateSession {
  const { question, workspace, window, model, budget, set, idempotencyKey } = request;
  return {
    question,
    queued: true,
    ...(workspace
      ? {
          workspace: {
            name: needed("workspace.name", workspace.name),
            ...(workspace.ref === "" ? {} : { ref: workspace.ref }),
          },
        }
      : {}),
    ...(window ? { window: windowFromWire(window) } : {}),
    ...(model === "" ? {} : { model: bounded("model", model) }),
    ...(budget ? { budget: budgetOf(budget) } : {}),
    ...(Object.keys(set).length > 0 ? { set } : {}),
    ...(idempotencyKey === "" ? {} : { idempotencyKey: bounded("idempotency_key", idempotencyKey) }),
  };
}

function budgetOf({ steps, tokens, seconds, cost }: Budget): NonNullable<CreateSession["budget"]> {
  return {
    ...(steps === undefined ? {} : { steps }),
    ...(tokens === undefined ? {} : { tokens: Number(tokens) }),
    ...(seconds === undefined ? {} : { time: Number(seconds) * 1000 }),
    ...(cost === undefined ? {} : { cost }),
  };
}

function needed(name: string, value: string): string {
  if (value === "") throw invalid(`${name} is needed`);
  return bounded(name, value);
}

function bounded(name: string, value: string): string {
  if (value.length > longestText) throw invalid(`${name} has at most ${longestText} characters`);
  return value;
}

function invalid(message: string): ConnectError {
  return new ConnectError(message, Code.InvalidArgument);
}
