import { expect, test } from "vitest";
import { drain, stepInput } from "../../test/wire/stepInput.ts";
import { scriptedModel } from "./scriptedModel.ts";

test("answers come in the order of the script, and a step past its end fails for good", async () => {
  const model = scriptedModel({ steps: [{ text: "one" }, { text: "two", usage: { input: 5 } }] });

  const endings = [await drain(model), await drain(model), await drain(model)].map(({ ending }) => ending);

  expect(endings).toEqual([
    {
      type: "answered",
      parts: [{ type: "text", text: "one" }],
      usage: { input: 0, output: 0, cached: 0 },
      finish: "stop",
    },
    {
      type: "answered",
      parts: [{ type: "text", text: "two" }],
      usage: { input: 5, output: 0, cached: 0 },
      finish: "stop",
    },
    { type: "failed", code: "invalid-request", message: "the script has no step 2", retryable: false },
  ]);
});

test("a function sees what the model sees, and the number of the attempt", async () => {
  const seen: unknown[] = [];
  const model = scriptedModel({
    id: "scripted/seer",
    window: 10,
    steps: ({ messages }, step) => {
      seen.push([messages.length, step]);
      return { failed: "overloaded", retryAfter: 3 };
    },
  });

  await drain(model);
  const { ending } = await drain(model, stepInput({ messages: [] }));

  expect([model.id, model.window]).toEqual(["scripted/seer", 10]);
  expect(seen).toEqual([
    [1, 0],
    [0, 1],
  ]);
  expect(ending).toEqual({
    type: "failed",
    code: "overloaded",
    message: "scripted: overloaded",
    retryable: true,
    retryAfter: 3,
  });
});

test("reasoning, text and calls become deltas and parts; arguments given as text are invalid", async () => {
  const model = scriptedModel({
    steps: [
      {
        reasoning: "hm",
        text: "looking",
        calls: [
          { name: "a", arguments: { x: 1 } },
          { name: "b", arguments: "{", id: "own" },
        ],
      },
    ],
  });

  const { events, ending } = await drain(model);

  expect(events.slice(0, -1)).toEqual([
    { type: "reasoning", delta: "hm" },
    { type: "text", delta: "looking" },
  ]);
  expect(ending).toMatchObject({
    finish: "calls",
    parts: [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "looking" },
      { type: "call", id: "call-0-0", name: "a", arguments: { x: 1 } },
      { type: "invalid-call", id: "own", name: "b", text: "{" },
    ],
  });
});

test("a script that throws is a failure, not an exception", async () => {
  const model = scriptedModel({
    steps: () => {
      throw new Error("boom");
    },
  });

  const { ending } = await drain(model);

  expect(ending).toMatchObject({ type: "failed", retryable: false, message: expect.stringContaining("boom") });
});

test.each([60_000, Infinity])("a delay of %d ms ends with the signal's reason", async (delay) => {
  const abort = new AbortController();
  const reason = new Error("enough");
  setTimeout(() => abort.abort(reason), 20);

  const step = drain(scriptedModel({ steps: [{ delay }] }), stepInput(), abort.signal);

  await expect(step).rejects.toBe(reason);
});
