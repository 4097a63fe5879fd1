import type { RunEvent, SessionCreated } from "../agent/events.ts";
import type { SessionFacts, Store } from "../store/store.ts";
import { SessionError } from "./session.ts";
import { storedEvents } from "./storedLog.ts";

/** Everything that is kept of one session: what an export holds. */
export interface SessionBundle {
  readonly facts: SessionFacts;
  /** By digest: catalog, prompt and tools. */
  readonly texts: ReadonlyMap<string, string>;
  readonly messages: readonly { readonly id: string; readonly at: number; readonly body: string }[];
  readonly events: readonly RunEvent[];
  /** Results as JSON, by call. */
  readonly results: readonly { readonly call: number; readonly body: string }[];
}

/** Reads all of a session from the store. Rejects with `SessionError` `damaged` where something of it is missing. */
export async function bundleFromStore(store: Store, id: string): Promise<SessionBundle> {
  const row = await store.session(id);
  if (!row) throw new SessionError("not-found", `no session ${id}`);
  const events = await Array.fromAsync(storedEvents(store, id, 0));
  const { inputs } = createdOf(events);
  const texts = new Map<string, string>();
  for (const what of ["catalog", "prompt", "tools"] as const) {
    const text = await store.text(inputs[what]);
    if (text === undefined) throw new SessionError("damaged", `the session's ${what} is not in the store`);
    texts.set(inputs[what], text);
  }
  const { status: _s, updatedAt: _u, epoch: _e, owner: _o, aliveAt: _a, lastSeq: _l, ...rest } = row;
  const { cancelRequestedAt: _c, verdict: _v, ended: _d, idempotencyKey: _i, requestDigest: _r, ...more } = rest;
  const { messages: _m, revision: _n, ...facts } = more;
  return { facts, texts, messages: await store.messages(id), events, results: await store.results(id) };
}

/** The event that a session begins with. Throws `SessionError` `damaged` where it is not there. */
export function createdOf([first]: readonly RunEvent[]): SessionCreated {
  if (first?.type !== "session.created") throw new SessionError("damaged", "the session has no first event");
  return first;
}
