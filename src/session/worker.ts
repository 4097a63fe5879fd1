import type { Queue } from "../fleet/queue.ts";
import { type Claim, StoreError } from "../store/store.ts";
import { Claims } from "./claims.ts";
import { runSession } from "./runSession.ts";
import { SessionError } from "./session.ts";
import type { Surroundings } from "./surroundings.ts";

/** Runs sessions that the queue hands out, many at once. */
export interface Worker extends AsyncDisposable {
  /** Sessions that it runs now. */
  readonly running: number;
  /** Takes no more sessions, and gives those under way `patience` ms to end; what is left then goes on elsewhere. */
  drain(patience: number): Promise<void>;
}

/** Starts to take sessions. */
export async function startWorker(queue: Queue, surroundings: Surroundings, concurrency: number): Promise<Worker> {
  const claims = new Claims(surroundings);
  await queue.work((session, signal) => work(session, { surroundings, claims, signal }), { concurrency });
  return {
    get running() {
      return claims.size;
    },
    drain: (patience) => queue.drain(patience),
    async [Symbol.asyncDispose]() {
      await queue.drain(0);
      await claims[Symbol.asyncDispose]();
    },
  };
}

interface Work {
  readonly surroundings: Surroundings;
  readonly claims: Claims;
  /** Aborts when the session is no longer this process's, or the process is to stop. */
  readonly signal: AbortSignal;
}

async function work(session: string, { surroundings, claims, signal }: Work): Promise<void> {
  const { store, log, clock, owner } = surroundings;
  const row = await store.session(session);
  // Removed meanwhile, or a word of it came twice.
  if (!row || row.status === "ended") return;
  const claim = await store.claim(session, { name: owner, at: clock.now() });
  if (!claim) return;
  await using held = claims.hold(claim);
  try {
    const leave = AbortSignal.any([signal, held.lost]);
    log.info({ session, epoch: claim.epoch }, "session taken");
    for await (const event of runSession(claim, surroundings, { cancel: held.cancel, leave })) {
      if (event.type === "run.ended") log.info({ session, ended: event.reason }, "run ended");
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === "fenced") {
      log.info({ session, epoch: claim.epoch }, "another process has the session");
      return;
    }
    if (error instanceof SessionError && error.code === "damaged") return await setAside(claim, error, surroundings);
    throw error;
  }
}

/** What is stored of it is not what it says it is: nobody can run it, and trying for ever would not help. */
async function setAside(claim: Claim, error: SessionError, { store, log }: Surroundings): Promise<void> {
  log.error({ session: claim.session, code: error.code }, `session set aside: ${error.message}`);
  const row = await store.session(claim.session);
  await store.append(claim, row?.lastSeq ?? claim.lastSeq, {
    events: [],
    change: { status: "ended", ended: "damaged" },
  });
}
