import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { isJsonObject, isTooDeep, type Json, type JsonObject } from "../json/json.ts";
import type { AnswerPart } from "./model.ts";

/** Gathers the parts of one answer, in the order in which they began, from the parts of a stream. */
export interface AnswerCollector {
  add(part: LanguageModelV4StreamPart): void;
  /** With `cutShort`, a last call without arguments is taken as one that was cut before them. */
  parts(options: { readonly cutShort: boolean }): readonly AnswerPart[];
}

interface Block {
  readonly type: "text" | "reasoning";
  text: string;
  provider: Json | undefined;
}

export function collectAnswer(): AnswerCollector {
  const found: (Block | LanguageModelV4ToolCall)[] = [];
  // Ids are the provider's and return within one answer, so a start always opens a new block.
  const open = new Map<string, Block>();

  function block(type: Block["type"], id: string, metadata: SharedV4ProviderMetadata | undefined): Block {
    const key = `${type} ${id}`;
    const known = open.get(key) ?? { type, text: "", provider: undefined };
    if (!open.has(key)) {
      found.push(known);
      open.set(key, known);
    }
    // The last says it all: signatures and encrypted reasoning come at the end.
    if (metadata) known.provider = toJson(metadata);
    return known;
  }

  return {
    add(part) {
      switch (part.type) {
        case "text-start":
        case "reasoning-start":
          open.delete(`${kindOf(part.type)} ${part.id}`);
          block(kindOf(part.type), part.id, part.providerMetadata);
          break;
        case "text-delta":
        case "reasoning-delta":
          block(kindOf(part.type), part.id, part.providerMetadata).text += part.delta;
          break;
        case "text-end":
        case "reasoning-end":
          block(kindOf(part.type), part.id, part.providerMetadata);
          break;
        case "tool-call":
          // What a provider runs on its own side is no call of ours.
          if (!part.providerExecuted) found.push(part);
          break;
      }
    },
    parts({ cutShort }) {
      return found.flatMap((item, index): AnswerPart[] => {
        if (item.type === "tool-call") return [toCall(item, cutShort && index === found.length - 1)];
        const { type, text, provider } = item;
        if (text === "" && provider === undefined) return [];
        return [{ type, text, ...(provider !== undefined && { provider }) }];
      });
    },
  };
}

function kindOf(type: string): Block["type"] {
  return type.startsWith("text") ? "text" : "reasoning";
}

function toCall(part: LanguageModelV4ToolCall, cutShort: boolean): AnswerPart {
  const provider = part.providerMetadata && { provider: toJson(part.providerMetadata) };
  const call = { id: part.toolCallId, name: part.toolName };
  const text = part.input;
  const blank = text.trim() === "" || text === "{}"; // Anthropic's package writes the one for the other.
  const parsed = blank ? (cutShort ? "the answer was cut before the arguments" : {}) : parseObject(text);
  return typeof parsed === "string"
    ? { type: "invalid-call", ...call, text, error: parsed, ...provider }
    : { type: "call", ...call, arguments: parsed, ...provider };
}

/** The object, or what is wrong with it. */
function parseObject(text: string): JsonObject | string {
  try {
    const value = JSON.parse(text) as Json;
    if (isTooDeep(value)) return "the arguments are nested too deep";
    return isJsonObject(value) ? value : "the arguments are JSON, but not an object";
  } catch (error) {
    return `the arguments are not JSON: ${(error as Error).message}`;
  }
}

/** Without `undefined`, so that it is the same value before and after a log. */
function toJson(metadata: SharedV4ProviderMetadata): Json {
  return JSON.parse(JSON.stringify(metadata)) as Json;
}
