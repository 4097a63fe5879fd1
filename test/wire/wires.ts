import type { ModelConfig } from "../../src/config/config.ts";

/** One answer as the server-sent events of a provider's wire: reasoning where the wire has it, a text, one call. */
export interface Wire {
  readonly provider: ModelConfig["provider"];
  readonly name: string;
  readonly path: string;
  /** Up to and without the first part. */
  readonly start: readonly string[];
  /** "Looking at checkout." in two deltas. */
  readonly text: readonly string[];
  /** A call of prometheus_query; the argument text in two deltas. */
  readonly call: (argumentText: string, name?: string) => readonly string[];
  /** With the finish reason that the wire has for it. */
  readonly finish: (reason: "calls" | "stop" | "length" | "filtered" | "unknown") => readonly string[];
  /** An error in the middle of a stream. */
  readonly error: (type: string, message: string) => readonly string[];
}

/** What the models of `wireConfig` authenticate with. */
export const wireKey = "sk-test-not-a-secret";

export const wireText = "Looking at checkout.";
const texts = ["Looking at ", "checkout."];
const halves = (text: string) => [text.slice(0, Math.floor(text.length / 2)), text.slice(Math.floor(text.length / 2))];

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { readonly type: string; readonly [key: string]: unknown }) =>
  `event: ${value.type}\n${data(value)}`;

const chat = (delta: object, finish_reason: string | null = null) =>
  data({ id: "c1", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason }] });

const openaiCompatible: Wire = {
  provider: "openai-compatible",
  name: "llama",
  path: "/v1",
  start: [chat({ role: "assistant", content: "" })],
  text: texts.map((content) => chat({ content })),
  call: (argumentText, name = "prometheus_query") => [
    chat({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: "" } }] }),
    ...halves(argumentText).map((text) => chat({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
  ],
  finish: (reason) => [
    chat(
      {},
      { calls: "tool_calls", stop: "stop", length: "length", filtered: "content_filter", unknown: "abort" }[reason],
    ),
    data({ id: "c1", choices: [], usage: { prompt_tokens: 120, completion_tokens: 7 } }),
    "data: [DONE]\n\n",
  ],
  error: (type, message) => [data({ error: { type, message } })],
};

const anthropic: Wire = {
  provider: "anthropic",
  name: "claude-sonnet-4-5",
  path: "/v1",
  start: [
    event({
      type: "message_start",
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "c",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 120, output_tokens: 1 },
      },
    }),
    event({ type: "ping" }),
  ],
  text: [
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...texts.map((text) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    event({ type: "content_block_stop", index: 0 }),
  ],
  call: (argumentText, name = "prometheus_query") => [
    event({
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id: "call_1", name, input: {} },
    }),
    ...halves(argumentText).map((partial_json) =>
      event({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json } }),
    ),
    event({ type: "content_block_stop", index: 1 }),
  ],
  finish: (reason) => [
    event({
      type: "message_delta",
      delta: {
        stop_reason: {
          calls: "tool_use",
          stop: "end_turn",
          length: "max_tokens",
          filtered: "refusal",
          unknown: "new_reason",
        }[reason],
        stop_sequence: null,
      },
      usage: { output_tokens: 7 },
    }),
    event({ type: "message_stop" }),
  ],
  error: (type, message) => [event({ type: "error", error: { type, message } })],
};

const openai: Wire = {
  provider: "openai",
  name: "gpt-5",
  path: "/v1",
  start: [
    event({ type: "response.created", response: { id: "r1", created_at: 1, model: "gpt-5" } }),
    event({ type: "response.in_progress", response: { id: "r1", created_at: 1, model: "gpt-5" } }),
  ],
  text: [
    event({ type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1" } }),
    ...texts.map((delta) => event({ type: "response.output_text.delta", item_id: "msg_1", output_index: 0, delta })),
    event({ type: "response.output_item.done", output_index: 0, item: { type: "message", id: "msg_1" } }),
  ],
  call: (argumentText, name = "prometheus_query") => [
    event({
      type: "response.output_item.added",
      output_index: 1,
      item: { type: "function_call", id: "fc_1", call_id: "call_1", name, arguments: "" },
    }),
    ...halves(argumentText).map((delta) =>
      event({ type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta }),
    ),
    event({
      type: "response.output_item.done",
      output_index: 1,
      item: {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name,
        arguments: argumentText,
        status: "completed",
      },
    }),
  ],
  finish: (reason) => {
    const cut = {
      calls: undefined,
      stop: undefined,
      length: "max_output_tokens",
      filtered: "content_filter",
      unknown: "new_reason",
    }[reason];
    return [
      event({
        type: cut ? "response.incomplete" : "response.completed",
        response: {
          ...(cut && { incomplete_details: { reason: cut } }),
          usage: { input_tokens: 120, output_tokens: 7 },
        },
      }),
    ];
  },
  error: (type, message) => [
    event({ type: "error", sequence_number: 9, error: { type, code: type, message, param: null } }),
  ],
};

export const wires: readonly Wire[] = [openaiCompatible, openai, anthropic];

/** The configuration of a model that speaks `wire` at `url`. */
export function wireConfig(wire: Pick<Wire, "provider" | "name" | "path">, url: string): ModelConfig {
  return {
    provider: wire.provider,
    name: wire.name,
    baseUrl: url + wire.path,
    apiKey: wireKey,
    window: 100_000,
    maxOutput: 1_000,
    options: {},
  };
}
