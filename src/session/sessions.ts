import type { RunEvent } from "../agent/events.ts";
import { emptyState, fold } from "../agent/runState.ts";
import { runSummary } from "../agent/runSummary.ts";
import type { Queue } from "../fleet/queue.ts";
import { estimateTokens } from "../model/estimateTokens.ts";
import type { SessionRow } from "../store/store.ts";
import { createSession, requestDigest } from "./createSession.ts";
import { questionMessage } from "./questionMessage.ts";
import { SessionError, type Sessions } from "./session.ts";
import { bundleFromStore } from "./sessionBundle.ts";
import { exportLines } from "./sessionExport.ts";
import { storedEvents } from "./storedLog.ts";
import { storedResult } from "./storedResults.ts";
import type { Surroundings } from "./surroundings.ts";

/** How long a watcher waits for a word of the store before it looks by itself, ms. */
const watchPause = 20_000;

/** What reading and asking needs: no servers, no model. */
export type SessionReading = Pick<Surroundings, "store" | "redact" | "clock" | "now">;

/** Sessions of a store. `queue` is where those go that a worker is to take. */
export function storedSessions(surroundings: Surroundings, queue?: Pick<Queue, "add">): Sessions {
  return {
    ...sessionReader(surroundings, queue),
    async create(request, signal) {
      const { store } = surroundings;
      const made = await createSession(request, surroundings, signal);
      const { session, created } = await store.create(made);
      if (!created && session.requestDigest !== requestDigest(request)) {
        const message = `the idempotency key was used for another request, which made session ${session.id}`;
        throw new SessionError("key-reused", message);
      }
      if (session.queued) await queue?.add(session.id);
      return session;
    },
  };
}

/** All that can be done with sessions where none are made. */
export function sessionReader(
  { store, redact, clock, now }: SessionReading,
  queue?: Pick<Queue, "add">,
): Omit<Sessions, "create"> {
  const get = async (id: string): Promise<SessionRow> => {
    const [found, ...others] = await store.sessionsByPrefix(id.toLowerCase(), 5);
    if (!found || id === "") throw new SessionError("not-found", `no session ${id}`);
    if (others.length === 0) return found;
    const ids = [found, ...others].map((row) => row.id.slice(0, 12)).join(", ");
    throw new SessionError("ambiguous", `${id} is the beginning of several sessions: ${ids}`);
  };
  return {
    get,
    list: (query) => store.list(query),
    async *watch(id, { after, follow = false }, signal) {
      const { id: session } = await get(id);
      let last = after;
      while (!signal.aborted) {
        const row = await get(session);
        for await (const event of storedEvents(store, session, last)) {
          yield event;
          last = event.seq;
          if (signal.aborted) return;
        }
        // Looked at before the events: what it says has all been read.
        if (!follow && row.status === "ended" && last >= row.lastSeq) return;
        await store.changed(session, { revision: row.revision, wait: watchPause }, signal);
      }
    },
    async send(id, { messageId = clock.id(), ...question }) {
      const { id: session, queued } = await get(id);
      const message = questionMessage(question, { redact, now });
      await store.addMessage(session, { id: messageId, at: clock.now(), body: JSON.stringify(message) });
      if (queued) await queue?.add(session);
      return await get(session);
    },
    async cancel(id) {
      const { id: session, status } = await get(id);
      if (status !== "ended") await store.requestCancel(session, clock.now());
      return await get(session);
    },
    async prompt(id) {
      const { promptDigest: digest, catalogDigest } = await get(id);
      const text = await store.text(digest);
      if (text === undefined) throw new SessionError("damaged", "the session's prompt is not in the store");
      return { text, digest, tokens: estimateTokens(text), catalogDigest };
    },
    async report(id) {
      const { id: session } = await get(id);
      let state = emptyState;
      let ended = emptyState;
      for await (const event of storedEvents(store, session, 0)) {
        state = fold(state, event satisfies RunEvent);
        if (event.type === "run.ended") ended = state;
      }
      const run = runSummary(ended);
      return run && ended.report ? { report: ended.report, run } : undefined;
    },
    async result(id, call) {
      return await storedResult(store, (await get(id)).id, call);
    },
    async *export(id) {
      yield* exportLines(await bundleFromStore(store, (await get(id)).id));
    },
  };
}
