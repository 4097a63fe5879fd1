import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RawReply, rawServer } from "../../test/wire/rawServer.ts";
import { drain, stepInput } from "../../test/wire/stepInput.ts";
import { type Wire, wireConfig, wires, wireText } from "../../test/wire/wires.ts";
import { createModel } from "./createModel.ts";

const args = '{"query":"rate(http_requests_total[5m])"}';

function whole(wire: Wire): readonly string[] {
  return [...wire.start, ...wire.text, ...wire.call(args), ...wire.finish("calls")];
}

async function answerTo(wire: Wire, reply: RawReply, stallTimeout = 10_000) {
  await using server = await rawServer(() => reply);
  const model = await createModel(wireConfig(wire, server.url), { stallTimeout });
  return await drain(model);
}

describe.each(wires.map((wire) => [wire.provider, wire] as const))("over the wire of %s", (_, wire) => {
  test("a whole stream is an answer", async () => {
    const { events, ending } = await answerTo(wire, { chunks: whole(wire) });

    expect(ending).toMatchObject({
      type: "answered",
      parts: [
        { type: "text", text: wireText },
        { type: "call", id: "call_1", name: "prometheus_query", arguments: { query: "rate(http_requests_total[5m])" } },
      ],
      usage: { input: 120, output: 7, cached: 0 },
      finish: "calls",
    });
    expect(events.flatMap((event) => (event.type === "text" ? [event.delta] : []))).toEqual([
      "Looking at ",
      "checkout.",
    ]);
  });

  const cuts: readonly (readonly [string, readonly string[]])[] = [
    ["before anything", []],
    ["before any part", wire.start],
    ["in the middle of the text", [...wire.start, ...wire.text.slice(0, 2)]],
    ["in the middle of a call's arguments", [...wire.start, ...wire.text, ...wire.call(args).slice(0, 2)]],
    ["after the parts, without a finish", [...wire.start, ...wire.text, ...wire.call(args)]],
    ["in the middle of an event", [...wire.start, ...wire.text, wire.call(args)[0]?.slice(0, -9) ?? ""]],
    ["after an event that is no JSON", [...wire.start, ...wire.text, "data: {oops\n\n"]],
  ];
  describe.each(cuts)("a stream that ends %s is cut", (_, chunks) => {
    test.each(["close", "reset"] as const)("by a %s", async (end) => {
      const { ending } = await answerTo(wire, { chunks, end });

      expect(ending).toMatchObject({ type: "failed", code: "cut", retryable: true });
    });
  });

  test("a reason to finish that nobody knows is a cut, and is named", async () => {
    const { ending } = await answerTo(wire, { chunks: [...wire.start, ...wire.text, ...wire.finish("unknown")] });

    expect(ending).toMatchObject({ type: "failed", code: "cut", retryable: true });
    if (wire.provider !== "openai-compatible")
      expect(ending).toHaveProperty("message", expect.stringContaining("new_reason"));
  });

  test("a cut answer says what it cost", async () => {
    const { ending } = await answerTo(wire, { chunks: [...wire.start, ...wire.text] });

    expect(ending).toMatchObject({ usage: { estimated: true } });
    expect(ending.usage?.input).toBeGreaterThan(50);
    expect(ending.usage?.output).toBeGreaterThan(1);
  });

  test("a step that has ended leaves its connection to later ones", async () => {
    await using server = await rawServer(() => ({ chunks: whole(wire) }));
    const model = await createModel(wireConfig(wire, server.url));

    for (let step = 0; step < 6; step++) await drain(model);

    // Two, because a request may set out before the end of the last answer has been taken note of.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test.each(["length", "filtered"] as const)("an answer that ends by %s is complete, and says so", async (reason) => {
    const { ending } = await answerTo(wire, { chunks: [...wire.start, ...wire.text, ...wire.finish(reason)] });

    expect(ending).toMatchObject({ type: "answered", finish: reason, parts: [{ type: "text", text: wireText }] });
  });

  test("a stream in which nothing comes any more is cut after the time set", async () => {
    const { ending } = await answerTo(wire, { chunks: [...wire.start, ...wire.text], end: "hang" }, 150);

    expect(ending).toMatchObject({ type: "failed", code: "cut", retryable: true });
    expect(ending).toHaveProperty("message", expect.stringContaining("nothing came for 0.15 s"));
  });

  test("a server that never answers is cut after the time set", async () => {
    const { ending } = await answerTo(wire, { end: "hang" }, 150);

    expect(ending).toMatchObject({ type: "failed", code: "cut", retryable: true });
  });

  test.each(["before any part", "in mid-answer"])(
    "an abort ends the step promptly with the signal's reason, %s",
    async (when) => {
      await using server = await rawServer(() => ({
        chunks: when === "in mid-answer" ? [...wire.start, ...wire.text] : [],
        end: "hang",
      }));
      const model = await createModel(wireConfig(wire, server.url));
      const abort = new AbortController();
      const reason = new Error("the user pressed Ctrl-C");
      setTimeout(() => abort.abort(reason), 60);

      const start = performance.now();
      await expect(drain(model, stepInput(), abort.signal)).rejects.toBe(reason);

      expect(performance.now() - start).toBeLessThan(2_000);
    },
  );

  test("an error in mid-answer keeps its meaning where it has one", async () => {
    const failed = (type: string, message: string) =>
      answerTo(wire, { chunks: [...wire.start, ...wire.text, ...wire.error(type, message)] });

    const overloaded = await failed("overloaded_error", "Overloaded");
    const limited = await failed("rate_limit_error", "Slow down");
    const unknown = await failed("strange_error", "Something happened");

    expect(overloaded.ending).toMatchObject({ type: "failed", code: "overloaded", retryable: true });
    expect(limited.ending).toMatchObject({ type: "failed", code: "rate-limited", retryable: true });
    expect(unknown.ending).toMatchObject({ type: "failed", retryable: true });
    expect(unknown.ending).toHaveProperty("message", expect.stringContaining("Something happened"));
  });

  test("arguments that are no JSON object are kept as they were written", async () => {
    for (const text of ['{"query": "up"', "[1]", '"up"', "null", "{'query': 'up'}"]) {
      const { ending } = await answerTo(wire, {
        chunks: [...wire.start, ...wire.call(text, "no_such_tool"), ...wire.finish("calls")],
      });

      expect(ending).toMatchObject({
        type: "answered",
        finish: "calls",
        parts: [{ type: "invalid-call", id: "call_1", name: "no_such_tool", text }],
      });
    }
  });

  test("a call without argument text has no arguments, unless the answer was cut there", async () => {
    const called = (reason: "calls" | "length") =>
      answerTo(wire, { chunks: [...wire.start, ...wire.call(""), ...wire.finish(reason)] });

    const complete = await called("calls");
    const cut = await called("length");

    expect(complete.ending).toMatchObject({ parts: [{ type: "call", arguments: {} }], finish: "calls" });
    expect(cut.ending).toMatchObject({ parts: [{ type: "invalid-call" }], finish: "length" });
  });

  test("cut at any byte, by a close or a reset, a step ends once: in the answer or in a cut", async () => {
    const bytes = Buffer.from(whole(wire).join(""));
    let reply: RawReply = {};
    await using server = await rawServer(() => reply);
    const model = await createModel(wireConfig(wire, server.url), { stallTimeout: 5_000 });

    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), fc.constantFrom("close", "reset"), async (length, end) => {
        reply = { chunks: [bytes.subarray(0, length)], end };
        const { events, ending } = await drain(model);
        const text = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
        expect(wireText.startsWith(text)).toBe(true);
        if (ending.type === "answered") expect(ending.parts).toHaveLength(2);
        else expect(ending).toMatchObject({ code: "cut", retryable: true });
      }),
      { numRuns: 60 },
    );
  });
});
