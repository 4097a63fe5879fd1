import { Code, ConnectError, createClient } from "@connectrpc/connect";
import type { RunEvent } from "../agent/events.ts";
import type { RunSummary } from "../agent/runSummary.ts";
import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import type { CreateSession, Sessions } from "../session/session.ts";
import { SessionError } from "../session/session.ts";
import { type Session, SessionService } from "../wire/session_pb.ts";
import { fromRemote, isOutage, type RemoteOptions, remoteTransport } from "./remoteClient.ts";
import { reportFromWire } from "./reportWire.ts";
import { sessionFromWire, statusToWire, windowToWire } from "./sessionWire.ts";

export interface RemoteSessionsOptions extends RemoteOptions {
  readonly log: Log;
  readonly clock: Clock;
}

/** How long a server that is away is waited for while a session is watched, ms. */
const patience = 120_000;
const shortestPause = 250;
const longestPause = 5_000;

/**
 * The sessions of a server: the same interface as those of a store, so that whoever works with sessions need not know where
 * they are. A watch that is cut goes on from the event after the last one. Rejects with `ApiClientError` beside the rest.
 */
export function remoteSessions(options: RemoteSessionsOptions): Sessions {
  const client = createClient(SessionService, remoteTransport(options));
  const { log, clock } = options;
  const ask = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw fromRemote(error, options);
    }
  };
  const row = async (answer: Promise<{ readonly session?: Session | undefined }>) => {
    const { session } = await ask(answer);
    if (!session) throw new SessionError("damaged", "the server's answer holds no session");
    return sessionFromWire(session);
  };
  return {
    create: async (request, signal) => await row(client.createSession(toWire(request), { signal })),
    get: async (id) => await row(client.getSession({ id })),
    async list({ limit, cursor = "", status, workspace = "", text = "" }) {
      const query = {
        pageSize: Math.min(limit, 500),
        pageToken: cursor,
        status: statusToWire(status),
        workspace,
        text,
      };
      const { sessions, nextPageToken } = await ask(client.listSessions(query));
      return { sessions: sessions.map(sessionFromWire), ...(nextPageToken === "" ? {} : { next: nextPageToken }) };
    },
    async *watch(id, { after, follow = false }, signal) {
      let last = after;
      let end: number | undefined;
      for (let pause = shortestPause; ; pause = Math.min(pause * 2, longestPause)) {
        try {
          const stream = client.watchSession({ id, afterSequence: BigInt(last), follow }, { signal });
          for await (const { sequence, at, type, body } of stream) {
            last = Number(sequence);
            if (end !== undefined) log.info({}, "the server is back");
            [pause, end] = [shortestPause, undefined];
            yield { ...body, type, seq: last, at: Number(at) } as unknown as RunEvent;
          }
          return;
        } catch (error) {
          if (signal.aborted) return;
          if (!isOutage(error) || (end !== undefined && clock.now() > end)) throw fromRemote(error, options);
          if (end === undefined) log.warn({ server: options.url }, "the connection is lost, and is tried again");
          end ??= clock.now() + patience;
        }
        try {
          await clock.sleep(pause, signal);
        } catch {
          return; // Whoever watched has left.
        }
      }
    },
    async send(id, { question, window, messageId = clock.id() }) {
      const message = { id, question, messageId, ...(window ? { window: windowToWire(window) } : {}) };
      return await row(client.sendMessage(message));
    },
    cancel: async (id) => await row(client.cancelSession({ id })),
    async prompt(id) {
      const { text, digest, tokens, catalogDigest } = await ask(client.getPrompt({ id }));
      return { text, digest, tokens, catalogDigest };
    },
    async report(id) {
      try {
        const { report, run } = await client.getReport({ id });
        if (!report) return undefined;
        return { report: reportFromWire(report), run: run as unknown as RunSummary };
      } catch (error) {
        if (error instanceof ConnectError && error.code === Code.NotFound && !error.metadata.has("korvus-reason"))
          return undefined;
        throw fromRemote(error, options);
      }
    },
    async result(id, call) {
      try {
        return (await client.getResult({ id, call })).result;
      } catch (error) {
        if (error instanceof ConnectError && error.code === Code.NotFound && !error.metadata.has("korvus-reason"))
          return undefined;
        throw fromRemote(error, options);
      }
    },
    async *export(id) {
      const decoder = new TextDecoder();
      try {
        for await (const { data } of client.exportSession({ id })) yield decoder.decode(data, { stream: true });
      } catch (error) {
        throw fromRemote(error, options);
      }
    },
  };
}

function toWire({ question, workspace, window, model = "", budget, set = {}, idempotencyKey = "" }: CreateSession) {
  return {
    question,
    model,
    set: { ...set },
    idempotencyKey,
    ...(workspace ? { workspace: { name: workspace.name, ref: workspace.ref ?? "" } } : {}),
    ...(window ? { window: windowToWire(window) } : {}),
    ...(budget ? { budget: budgetToWire(budget) } : {}),
  };
}

function budgetToWire({ steps, tokens, time, cost }: NonNullable<CreateSession["budget"]>) {
  return {
    ...(steps === undefined ? {} : { steps }),
    ...(tokens === undefined ? {} : { tokens: BigInt(tokens) }),
    ...(time === undefined ? {} : { seconds: BigInt(Math.ceil(time / 1000)) }),
    ...(cost === undefined ? {} : { cost }),
  };
}
