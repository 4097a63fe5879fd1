import { createHash } from "node:crypto";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../test/kit/needs.ts";
import { type RunningPostgres, startPostgres } from "../../test/kit/startPostgres.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import { systemClock as clock } from "../clock/clock.ts";
import { memoryLog } from "../log/log.ts";
import { openStore, type StoreAddress } from "./openStore.ts";
import type { EventRow, NewSession, Store } from "./store.ts";

const log = memoryLog();
const open = (address: StoreAddress) => openStore(address, { clock, log });

function newSession(changes: Partial<NewSession> = {}): NewSession {
  return {
    id: clock.id(),
    createdAt: clock.now(),
    question: "why is checkout slow?",
    model: "runbook",
    catalogDigest: sha256("catalog"),
    promptDigest: sha256("prompt"),
    queued: true,
    texts: ["catalog", "prompt"],
    events: [eventRow(1)],
    message: { id: clock.id(), at: 1, body: "{}" },
    ...changes,
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function eventRow(seq: number, body = `{"type":"x","n":${seq}}`): EventRow {
  return { seq, at: 1_000 + seq, body };
}

async function claimed(store: Store, changes: Partial<NewSession> = {}) {
  const { session } = await store.create(newSession(changes));
  const claim = await store.claim(session.id, { name: "a", at: clock.now() });
  if (!claim) throw new Error("the session cannot be claimed");
  return claim;
}

let postgres: RunningPostgres | undefined;
let databases = 0;
beforeAll(async () => {
  if (!needs("postgres").skip) postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
});

const kinds: readonly [string, { skip: boolean }, (directory: string) => Promise<StoreAddress>][] = [
  ["SQLite", { skip: false }, async (directory) => ({ kind: "sqlite", path: join(directory, "state/korvus.db") })],
  [
    "PostgreSQL",
    needs("postgres"),
    async () => {
      const url = await postgres?.createDatabase(`store${++databases}`);
      return { kind: "postgres", url: url ?? "" };
    },
  ],
];

describe.each(kinds)("on %s", (_, options, place) => {
  async function opened() {
    const dir = await tempDir();
    const address = await place(dir.path);
    const store = await open(address);
    return {
      store,
      address,
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        await dir[Symbol.asyncDispose]();
      },
    };
  }

  test("a session comes back as it was made, with its texts, events and message", options, async () => {
    await using place = await opened();
    const { store } = place;
    const made = newSession({ question: "nul \0, lone \ud800, 'quotes' %_", workspace: "payments", ref: "v42" });

    const { session, created } = await store.create(made);

    expect(created).toBe(true);
    expect(session).toMatchObject({ status: "waiting", epoch: 0, lastSeq: 1, messages: 1, workspace: "payments" });
    expect(await store.session(made.id)).toEqual(session);
    expect(session.question).toBe(made.question);
    expect(await store.text(sha256("prompt"))).toBe("prompt");
    expect(await store.events(made.id, 0, 10)).toEqual(made.events);
    expect(await store.messages(made.id)).toEqual([{ ...made.message, number: 1 }]);
    expect(await store.session("nobody")).toBeUndefined();
  });

  test("the same idempotency key gives the session of then, and writes nothing", options, async () => {
    await using place = await opened();
    const { store } = place;
    const first = await store.create(newSession({ idempotencyKey: "k", requestDigest: "d" }));

    const again = await Promise.all([1, 2, 3].map(() => store.create(newSession({ idempotencyKey: "k" }))));

    expect(again.map(({ created, session }) => [created, session.id])).toEqual(
      again.map(() => [false, first.session.id]),
    );
    expect((await store.list({ limit: 10 })).sessions).toHaveLength(1);
  });

  test("whoever claims a session last writes, and nobody else", options, async () => {
    await using place = await opened();
    const { store } = place;
    const first = await claimed(store);
    await store.append(first, 1, { events: [eventRow(2)] });

    const second = await store.claim(first.session, { name: "b", at: clock.now() });

    expect(second).toEqual({ session: first.session, epoch: first.epoch + 1, lastSeq: 2 });
    await expect(store.append(first, 2, { events: [eventRow(3)] })).rejects.toMatchObject({ code: "fenced" });
    const late = { events: [], results: [{ call: 1, body: "{}" }] };
    await expect(store.append(first, 3, late)).rejects.toMatchObject({ code: "fenced" });
    if (second)
      await store.append(second, 2, { events: [eventRow(3)], change: { status: "running", verdict: "likely" } });
    expect(await store.session(first.session)).toMatchObject({ lastSeq: 3, owner: "b", verdict: "likely" });
    expect((await store.events(first.session, 1, 10)).map(({ seq }) => seq)).toEqual([2, 3]);
    expect(await store.result(first.session, 1)).toBeUndefined();
  });

  test("an append that does not follow the last event is refused, and keeps nothing", options, async () => {
    await using place = await opened();
    const { store } = place;
    const claim = await claimed(store);

    await expect(store.append(claim, 0, { events: [eventRow(1)] })).rejects.toMatchObject({ code: "sequence" });
    await expect(store.append(claim, 5, { events: [eventRow(6)] })).rejects.toMatchObject({ code: "sequence" });
    await expect(store.append(claim, 1, { events: [eventRow(2), eventRow(4)] })).rejects.toMatchObject({
      code: "sequence",
    });

    expect(await store.events(claim.session, 0, 10)).toHaveLength(1);
  });

  test(
    "of many appends at once each holds or fails by itself, and what one session asks for keeps its order",
    options,
    async () => {
      await using place = await opened();
      const { store } = place;
      const claims = await Promise.all(Array.from({ length: 60 }, () => claimed(store)));
      const lost = claims[30];
      if (lost) await store.claim(lost.session, { name: "b", at: clock.now() });

      const outcomes = await Promise.allSettled(
        claims.flatMap((claim) => [
          store.append(claim, 1, { events: [eventRow(2)], results: [{ call: 1, body: '"first"' }] }),
          store.append(claim, 2, { events: [eventRow(3), eventRow(4)] }),
          store.append(claim, 4, { events: [], results: [{ call: 1, body: '"second"' }] }),
        ]),
      );

      const failed = outcomes.flatMap(({ status }, index) => (status === "rejected" ? [Math.floor(index / 3)] : []));
      expect(failed).toEqual([30, 30, 30]);
      for (const claim of claims) {
        if (claim === lost) continue;
        expect((await store.events(claim.session, 0, 10)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
        expect(await store.result(claim.session, 1)).toBe('"second"');
      }
    },
  );

  test(
    "signs of life tell which claims are lost and which sessions are to end; the idle can be claimed",
    options,
    async () => {
      await using place = await opened();
      const { store } = place;
      const [kept, stolen, cancelled] = [await claimed(store), await claimed(store), await claimed(store)];
      await store.claim(stolen.session, { name: "b", at: clock.now() });
      await store.requestCancel(cancelled.session, 5);
      const at = clock.now() + 1_000;

      const heard = await store.heartbeat([kept, stolen, cancelled], at);

      expect(heard).toEqual({ lost: [stolen.session], cancelled: [cancelled.session] });
      expect(await store.claim(kept.session, { name: "c", at }, { onlyIdleSince: at - 1 })).toBeUndefined();
      expect((await store.waiting(at, 10)).map(({ id }) => id)).toContain(kept.session);
      expect((await store.waiting(at - 1, 10)).map(({ id }) => id)).not.toContain(kept.session);
      expect(await store.claim(kept.session, { name: "c", at }, { onlyIdleSince: at })).toMatchObject({ epoch: 2 });
    },
  );

  test("a session that is let go waits; one that ended does not", options, async () => {
    await using place = await opened();
    const { store } = place;
    const [open, ended] = [await claimed(store), await claimed(store)];
    await store.append(ended, 1, {
      events: [eventRow(2)],
      change: { status: "ended", messages: 1, ended: "reported", cancelRequested: false },
    });

    await store.release(open);
    await store.release(ended);

    expect(await store.session(open.session)).toMatchObject({ status: "waiting" });
    expect((await store.session(open.session))?.owner).toBeUndefined();
    expect(await store.session(ended.session)).toMatchObject({ status: "ended", ended: "reported" });
    expect(await store.counts()).toEqual({ waiting: 1, running: 0, ended: 1 });
  });

  test("a question that comes while the last one ends is not forgotten", options, async () => {
    await using place = await opened();
    const { store } = place;
    const claim = await claimed(store);
    await store.addMessage(claim.session, { id: "m", at: 2, body: '"second"' });
    await store.addMessage(claim.session, { id: "m", at: 3, body: '"second again"' });

    await store.append(claim, 1, { events: [eventRow(2)], change: { status: "ended", messages: 1 } });

    expect(await store.session(claim.session)).toMatchObject({ status: "waiting", messages: 2 });
    await store.append(claim, 2, { events: [], change: { status: "ended", messages: 2 } });
    expect(await store.session(claim.session)).toMatchObject({ status: "ended" });
    await store.addMessage(claim.session, { id: "third", at: 4, body: "3" });
    expect(await store.session(claim.session)).toMatchObject({ status: "waiting", messages: 3 });
    expect((await store.messages(claim.session)).map(({ number, body }) => [number, body])).toEqual([
      [1, "{}"],
      [2, '"second"'],
      [3, "3"],
    ]);
    await expect(store.addMessage("nobody", { id: "x", at: 1, body: "" })).rejects.toMatchObject({ code: "not-found" });
  });

  test("pages of a list hold while sessions come, and filters mean what they say", options, async () => {
    await using place = await opened();
    const { store } = place;
    for (let at = 1; at <= 7; at++) await store.create(newSession({ createdAt: at, question: `Question ${at} 100%` }));

    const first = await store.list({ limit: 3 });
    await store.create(newSession({ createdAt: 99 }));
    const second = await store.list({ limit: 3, ...(first.next === undefined ? {} : { cursor: first.next }) });
    const third = await store.list({ limit: 3, ...(second.next === undefined ? {} : { cursor: second.next }) });

    const times = [first, second, third].map(({ sessions }) => sessions.map(({ createdAt }) => createdAt));
    expect(times).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
    expect(third.next).toBeUndefined();
    expect((await store.list({ limit: 9, text: "qUESTION 3" })).sessions).toHaveLength(1);
    expect((await store.list({ limit: 9, text: "0%" })).sessions).toHaveLength(7);
    expect((await store.list({ limit: 9, text: "_" })).sessions).toHaveLength(0);
    expect((await store.list({ limit: 9, workspace: "payments" })).sessions).toHaveLength(0);
    expect((await store.list({ limit: 9, status: "waiting" })).sessions).toHaveLength(8);
    await expect(store.list({ limit: 3, cursor: "nonsense" })).rejects.toMatchObject({ code: "wrong-cursor" });
  });

  test(
    "whoever waits for a change hears of it, also of one that came before and of another process's",
    options,
    async () => {
      await using place = await opened();
      await using other = await open(place.address);
      const { store } = place;
      const claim = await claimed(store);
      const revision = async () => (await store.session(claim.session))?.revision ?? 0;
      const signal = AbortSignal.timeout(20_000);

      const waiting = store.changed(claim.session, { revision: await revision(), wait: 15_000 }, signal);
      await other.append(claim, 1, { events: [eventRow(2)] });
      const began = Date.now();
      await waiting;
      expect(Date.now() - began).toBeLessThan(5_000);

      const before = await revision();
      await other.append(claim, 2, { events: [eventRow(3)] });
      await store.changed(claim.session, { revision: before, wait: 15_000 }, signal);
      await store.changed(claim.session, { revision: await revision(), wait: 1 }, signal);
      expect(Date.now() - began).toBeLessThan(10_000);
    },
  );

  test("what ended long ago is removed with all that is its own; what others need stays", options, async () => {
    await using place = await opened();
    const { store } = place;
    const [old, open] = [
      await claimed(store, { texts: ["only", "prompt"], catalogDigest: sha256("only") }),
      await claimed(store),
    ];
    await store.append(old, 1, {
      events: [eventRow(2)],
      results: [{ call: 1, body: "1" }],
      change: { status: "ended", messages: 1 },
    });

    expect(await store.prune(1)).toBe(0);
    expect(await store.prune(clock.now() + 60_000)).toBe(1);

    expect(await store.session(old.session)).toBeUndefined();
    expect(await store.events(old.session, 0, 10)).toEqual([]);
    expect(await store.text(sha256("only"))).toBeUndefined();
    expect(await store.text(sha256("prompt"))).toBe("prompt");
    expect(await store.session(open.session)).toBeDefined();
  });

  test("a result of many megabytes comes back whole", options, async () => {
    await using place = await opened();
    const { store } = place;
    const claim = await claimed(store);
    const body = JSON.stringify("x".repeat(20 * 2 ** 20));

    await store.append(claim, 1, { events: [], results: [{ call: 1, body }] });

    expect((await store.result(claim.session, 1))?.length).toBe(body.length);
    expect(await store.size()).toBeGreaterThan(1_000);
  });
});

test("a SQLite file and its directory are its owner's, and git does not see them", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "state/korvus.db");

  await using _store = await open({ kind: "sqlite", path });

  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir.path, "state")).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir.path, "state/.gitignore")).size).toBeGreaterThan(0);
});

test.each([
  [
    "that is no database",
    (path: string) => writeFileSync(path, "not a database, but long enough to be looked at".repeat(99)),
    "unavailable",
  ],
  [
    "that a later version wrote",
    (path: string) => {
      const database = new DatabaseSync(path);
      database.exec("pragma application_id = 0x4b727673; pragma user_version = 999");
      database.close();
    },
    "too-new",
  ],
])("a file %s is refused, and left as it is", async (_, make, code) => {
  await using dir = await tempDir();
  const path = join(dir.path, "korvus.db");
  make(path);

  await expect(open({ kind: "sqlite", path })).rejects.toMatchObject({ code });
});

test(
  "a PostgreSQL that is not there, or has no such database, is told at once and without the password",
  needs("postgres"),
  async () => {
    const port = postgres?.port;

    const away = open({ kind: "postgres", url: "postgres://ana:secret-word@127.0.0.1:1/korvus" });
    await expect(away).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("127.0.0.1:1") });
    await expect(away).rejects.not.toMatchObject({ message: expect.stringContaining("secret-word") });
    await expect(open({ kind: "postgres", url: `postgres://korvus@127.0.0.1:${port}/nowhere` })).rejects.toMatchObject({
      message: expect.stringContaining("createdb nowhere"),
    });
  },
);

test("a PostgreSQL that is killed in a storm of appends and reads loses and doubles nothing, and ends nobody", {
  ...needs("postgres"),
  timeout: 120_000,
}, async () => {
  if (!postgres) throw new Error("no PostgreSQL");
  const url = await postgres.createDatabase("storm");
  await using store = await open({ kind: "postgres", url });
  const claims = await Promise.all(Array.from({ length: 20 }, () => claimed(store)));
  const stop = new AbortController();

  const appended = claims.map(async (claim) => {
    let last = 1;
    while (!stop.signal.aborted) {
      await store.append(claim, last, { events: [eventRow(last + 1), eventRow(last + 2)] });
      last += 2;
    }
    return last;
  });
  const read = claims.map(async ({ session }) => {
    while (!stop.signal.aborted) expect((await store.events(session, 0, 1))[0]?.seq).toBe(1);
  });
  for (const signal of ["SIGKILL", "SIGINT", "SIGKILL"] as const) {
    await clock.sleep(300, stop.signal);
    await postgres.restart(signal);
  }
  await clock.sleep(300, stop.signal);
  stop.abort();
  const lasts = await Promise.all(appended);
  await Promise.all(read);

  for (const [index, claim] of claims.entries()) {
    const last = lasts[index] ?? 0;
    const seqs = (await store.events(claim.session, 0, 1_000_000)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: last }, (_, at) => at + 1));
  }
});
