import { expect, test } from "vitest";
import type { Message } from "./model.ts";
import { toPrompt } from "./toPrompt.ts";

const signed = { anthropic: { signature: "c2ln" } };
const conversation: readonly Message[] = [
  { role: "user", text: "why?" },
  {
    role: "assistant",
    parts: [
      { type: "reasoning", text: "hm", provider: signed },
      { type: "text", text: "\n\n" },
      { type: "call", id: "1", name: "a", arguments: { x: 1 } },
      { type: "invalid-call", id: "2", name: "b", text: "{", error: "no JSON" },
    ],
  },
  {
    role: "tool",
    results: [
      { callId: "1", name: "a", text: "fine \ud800", isError: false },
      { callId: "2", name: "b", text: "no JSON", isError: true },
    ],
  },
];

test("messages keep their order, their pairs, and what the provider wants back", () => {
  const [system, ...rest] = toPrompt("SYSTEM", conversation);

  expect(system).toMatchObject({ role: "system", content: "SYSTEM" });
  expect(rest).toMatchObject([
    { role: "user", content: [{ type: "text", text: "why?" }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: signed },
        { type: "tool-call", toolCallId: "1", toolName: "a", input: { x: 1 } },
        { type: "tool-call", toolCallId: "2", toolName: "b", input: { invalid_arguments: "{" } },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "1", output: { type: "text", value: "fine \ufffd" } },
        { type: "tool-result", toolCallId: "2", output: { type: "error-text", value: "no JSON" } },
      ],
    },
  ]);
});

test("a longer conversation begins with the shorter one, apart from the mark for the cache", () => {
  const unmarked = (messages: readonly Message[]) =>
    toPrompt("SYSTEM", messages).map(({ role, content }) => JSON.stringify({ role, content }));

  for (let length = 1; length < conversation.length; length++) {
    expect(unmarked(conversation).slice(0, length + 1)).toEqual(unmarked(conversation.slice(0, length)));
  }
});

test("the ends of the system prompt and of the conversation are marked for the cache, nothing else", () => {
  const marked = toPrompt("SYSTEM", conversation).map(({ providerOptions }) => providerOptions !== undefined);

  expect(marked).toEqual([true, false, false, true]);
});

test("an empty system prompt and an answer without anything to send are left out", () => {
  const prompt = toPrompt("", [
    { role: "user", text: "why?" },
    { role: "assistant", parts: [{ type: "text", text: " " }] },
  ]);

  expect(prompt.map(({ role }) => role)).toEqual(["user"]);
});
