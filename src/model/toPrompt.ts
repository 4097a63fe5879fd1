import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { isJsonObject, type Json } from "../json/json.ts";
import type { AnswerPart, Message, ToolMessage } from "./model.ts";

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/** Providers read only the entry of their own name, so this stands in every prompt. */
const cacheUpToHere: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * Our messages as the AI SDK's. Pure, and the same for the same input: a longer conversation begins with the bytes of
 * the shorter one, but for the cache marks, which providers do not count. One mark ends the system prompt, which covers
 * the tools before it too; one ends the conversation, so that the next step reads all of this one from the cache.
 */
export function toPrompt(system: string, messages: readonly Message[]): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Message[] = messages.map(toMessage).filter(({ content }) => content.length > 0);
  const last = prompt.at(-1);
  if (last) prompt[prompt.length - 1] = { ...last, providerOptions: cacheUpToHere };
  if (system === "") return prompt;
  return [{ role: "system", content: system, providerOptions: cacheUpToHere }, ...prompt];
}

function toMessage(message: Message): LanguageModelV4Message {
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: message.text.toWellFormed() }] };
    case "assistant":
      return { role: "assistant", content: message.parts.flatMap(toPart) };
    case "tool":
      return { role: "tool", content: message.results.map(toResult) };
  }
}

function toPart(part: AnswerPart): AssistantPart[] {
  const options = isJsonObject(part.provider) && { providerOptions: part.provider as SharedV4ProviderOptions };
  switch (part.type) {
    case "text":
      // Anthropic refuses a text of white space only, which models do write between two calls.
      if (part.text.trim() === "" && !options) return [];
      return [{ type: "text", text: part.text, ...options }];
    case "reasoning":
      return [{ type: "reasoning", text: part.text, ...options }];
    case "call":
      return [{ ...call(part.id, part.name, part.arguments), ...options }];
    case "invalid-call":
      // Some wires take an object only, and some servers parse the text again: so it travels inside one.
      return [{ ...call(part.id, part.name, { invalid_arguments: part.text }), ...options }];
  }
}

function call(toolCallId: string, toolName: string, input: Json) {
  return { type: "tool-call" as const, toolCallId, toolName, input };
}

function toResult({ callId, name, text, isError }: ToolMessage) {
  // A lone surrogate, which JSON from a backend may hold, makes some providers refuse the whole request.
  const value = text.toWellFormed();
  return {
    type: "tool-result" as const,
    toolCallId: callId,
    toolName: name,
    output: isError ? { type: "error-text" as const, value } : { type: "text" as const, value },
  };
}
