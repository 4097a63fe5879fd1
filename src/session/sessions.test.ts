import { expect, test } from "vitest";
import { drain, reportCall, reportOf } from "../../test/kit/probeRun.ts";
import { sessionGrounds } from "../../test/kit/sessionGrounds.ts";
import type { StepInput } from "../model/model.ts";
import type { ScriptedAnswer } from "../model/scriptedModel.ts";
import { runHere } from "./runHere.ts";
import { storedSessions } from "./sessions.ts";
import { storedEvents } from "./storedLog.ts";

/** Asks once, then reports; at every question anew. */
function askThenReport({ messages }: StepInput): ScriptedAnswer {
  const steps = messages.filter(({ role }) => role === "assistant").length;
  if (steps % 2 === 0) return { calls: [{ name: "probe_echo", arguments: { text: `look ${steps}` } }] };
  return { calls: [reportCall("likely", [steps, "probe"])] };
}

const never = new AbortController().signal;

test("a question becomes a session that is stored, listed, and holds its prompt and report", async () => {
  await using grounds = await sessionGrounds({ steps: askThenReport });
  const sessions = storedSessions(grounds.surroundings);

  const { id } = await sessions.create({ question: "why is checkout slow?", queued: false }, never);
  const shown = await drain(runHere(id, grounds.surroundings, never));

  const stored = await Array.fromAsync(storedEvents(grounds.surroundings.store, id, 0));
  expect(stored.slice(1)).toEqual(shown);
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
  const { sessions: listed } = await sessions.list({ limit: 10 });
  expect(listed).toMatchObject([
    { id, status: "ended", ended: "reported", verdict: "likely", question: "why is checkout slow?" },
  ]);
  expect(await sessions.report(id)).toMatchObject({ report: { verdict: "likely", skillsUsed: ["deployed"] } });
  expect((await sessions.prompt(id)).text).toContain("MARKER of the deployment.");
  expect(await sessions.result(id, 1)).toMatchObject({ content: [{ type: "text", text: "look 0" }] });
});

test("a further question goes on with the same conversation, numbers of calls included, and gets a report of its own", async () => {
  await using grounds = await sessionGrounds({ steps: askThenReport });
  const sessions = storedSessions(grounds.surroundings);
  const { id } = await sessions.create({ question: "first?", queued: false }, never);
  await drain(runHere(id, grounds.surroundings, never));

  await sessions.send(id, { question: "second?", messageId: "m" });
  await sessions.send(id, { question: "second?", messageId: "m" });
  expect(await sessions.get(id)).toMatchObject({ status: "waiting" });
  const more = await drain(runHere(id, grounds.surroundings, never));

  expect(more.map(({ type }) => type)).toContain("run.started");
  expect(reportOf(more)).toMatchObject({
    question: "second?",
    verdict: "likely",
    findings: [{ evidence: [{ call: 3 }], status: "supported" }],
  });
  expect(more.filter(({ type }) => type === "step.started")).toMatchObject([{ step: 3 }, { step: 4 }]);
  expect(await drain(runHere(id, grounds.surroundings, never))).toEqual([]);
});

test("the same idempotency key is the same session, and another request under it is refused", async () => {
  await using grounds = await sessionGrounds({ steps: askThenReport });
  const sessions = storedSessions(grounds.surroundings);
  const request = { question: "why?", queued: false, idempotencyKey: "alert-1" };

  const [first, second] = [await sessions.create(request, never), await sessions.create(request, never)];

  expect(second.id).toBe(first.id);
  await expect(sessions.create({ ...request, question: "what?" }, never)).rejects.toMatchObject({ code: "key-reused" });
  expect((await sessions.list({ limit: 10 })).sessions).toHaveLength(1);
});

test("an id may be shortened while it is clear which session is meant", async () => {
  await using grounds = await sessionGrounds({ steps: askThenReport });
  const sessions = storedSessions(grounds.surroundings);
  const { id } = await sessions.create({ question: "why?", queued: false }, never);
  for (let count = 0; count < 20; count++) await sessions.create({ question: `why ${count}?`, queued: false }, never);

  expect((await sessions.get(id.slice(0, 16))).id).toBe(id);
  await expect(sessions.get("")).rejects.toMatchObject({ code: "not-found" });
  await expect(sessions.get("%")).rejects.toMatchObject({ code: "not-found" });
  await expect(sessions.get("not an id")).rejects.toMatchObject({ code: "not-found" });
  // Twenty-one ids begin with sixteen digits: two of them with the same.
  const digits = "0123456789abcdef".split("");
  const codes = await Promise.all(
    digits.map((digit) =>
      sessions.get(digit).then(
        () => "one",
        (error) => error.code,
      ),
    ),
  );
  expect(codes).toContain("ambiguous");
});

test("what a configuration keeps secret reaches neither question nor event nor result in the store", async () => {
  await using grounds = await sessionGrounds({
    steps: askThenReport,
    secrets: [{ name: "TOKEN", value: "hunter2-hunter2" }],
  });
  const sessions = storedSessions(grounds.surroundings);

  const { id } = await sessions.create({ question: "is hunter2-hunter2 it?", queued: false }, never);
  await drain(runHere(id, grounds.surroundings, never));

  const everything = JSON.stringify([
    await sessions.get(id),
    await Array.fromAsync(storedEvents(grounds.surroundings.store, id, 0)),
    await grounds.surroundings.store.messages(id),
  ]);
  expect(everything).not.toContain("hunter2");
  expect(everything).toContain("[redacted:TOKEN]");
});

test("whoever watches sees every event once, from any number on, while they come, and ends no run by leaving", async () => {
  await using grounds = await sessionGrounds({ steps: askThenReport });
  const sessions = storedSessions(grounds.surroundings);
  const { id } = await sessions.create({ question: "why?", queued: false }, never);

  const watching = drain(sessions.watch(id, { after: 0 }, AbortSignal.timeout(20_000)));
  const leaving = (async () => {
    for await (const event of sessions.watch(id, { after: 0 }, never)) if (event.seq === 3) return event.type;
    return undefined;
  })();
  await drain(runHere(id, grounds.surroundings, never));

  const all = await Array.fromAsync(storedEvents(grounds.surroundings.store, id, 0));
  expect(await watching).toEqual(all);
  expect(await leaving).toBe(all[2]?.type);
  expect(await drain(sessions.watch(id, { after: 5 }, never))).toEqual(all.slice(5));
});

test("a cancel ends the run with the report so far, whichever process asks for it", async () => {
  const steps = () => ({ delay: Number.POSITIVE_INFINITY, text: "never" });
  await using grounds = await sessionGrounds({ steps });
  const sessions = storedSessions(grounds.surroundings);
  const { id } = await sessions.create({ question: "why?", queued: false }, never);

  const running = drain(runHere(id, grounds.surroundings, never));
  await sessions.cancel(id);

  expect((await running).at(-1)).toMatchObject({ type: "run.ended", reason: "cancelled" });
  expect(await sessions.get(id)).toMatchObject({ status: "ended", ended: "cancelled", verdict: "inconclusive" });
});

test.each([
  ["an empty question", { question: " " }],
  ["a window that ends before it starts", { question: "why?", window: { from: "14:00", to: "13:00" } }],
  ["a budget beyond the configured one", { question: "why?", budget: { steps: 41 } }],
  ["a budget of nothing", { question: "why?", budget: { steps: 0 } }],
])("%s is refused before anything is stored", async (_, request) => {
  await using grounds = await sessionGrounds({ steps: askThenReport });
  const sessions = storedSessions(grounds.surroundings);

  await expect(sessions.create({ ...request, queued: false }, never)).rejects.toMatchObject({ code: "invalid" });

  expect((await sessions.list({ limit: 1 })).sessions).toEqual([]);
});
