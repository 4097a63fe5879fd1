import type { IncomingHttpHeaders } from "node:http";
import { LLMock } from "@copilotkit/aimock";
import { type RawReply, rawServer } from "../wire/rawServer.ts";

/** What a model is asked, as far as a policy wants to know. */
export interface Asked {
  /** Answers that the conversation holds already: 0 at first. */
  readonly step: number;
  /** The first message of the user. */
  readonly question: string;
  /** What Korvus said last in the user's place. */
  readonly said: string;
  /** Names of the tools on offer. */
  readonly tools: readonly string[];
  readonly toolChoice: unknown;
  /** Every tool result of the conversation, in order. */
  readonly results: readonly SeenResult[];
}

/** A tool result as the provider sees it; number, server, tool and outcome where it came from an MCP server. */
export interface SeenResult {
  readonly call?: number;
  readonly server?: string;
  readonly tool?: string;
  readonly outcome?: string;
  readonly text: string;
}

export interface Answer {
  readonly text?: string;
  /** Arguments that are a string go out as they are. */
  readonly calls?: readonly { readonly name: string; readonly arguments?: object | string }[];
}

/** The scripted part of a run: everything else is real. */
export type ModelPolicy = (asked: Asked) => Answer | Promise<Answer>;

export interface ProviderRequest {
  readonly path: string;
  /** As it came over the wire. */
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

export type ProviderWire = "openai-compatible" | "anthropic";

/** What the models of `modelOf` authenticate with. */
export const providerKey = "sk-provider-key-0123456789";

/**
 * A provider on loopback: aimock speaks its wires, `policy` decides. Every request is kept as the bytes that came.
 * `interfere` may answer a request in aimock's place, by its number from 0 on.
 */
export async function providerMock(
  policy: ModelPolicy,
  interfere: (number: number, request: ProviderRequest) => RawReply | Promise<RawReply> | undefined = () => undefined,
) {
  const mock = await LLMock.create({ port: 0, host: "127.0.0.1" });
  mock.on({}, async (request) => {
    const answer = await policy(askedBy(request));
    return answered(answer);
  });
  const requests: ProviderRequest[] = [];
  const server = await rawServer(async (body, { url = "", headers }) => {
    const request = { path: url, body, headers };
    const reply = await interfere(requests.push(request) - 1, request);
    return reply ?? (await passedOn(mock.url, request));
  });
  return {
    url: server.url,
    requests: requests as readonly ProviderRequest[],
    /** The `model` section of a configuration that reaches this provider. */
    modelOf(wire: ProviderWire = "openai-compatible"): object {
      const name = wire === "anthropic" ? "claude-sonnet-4-5" : "llama";
      return { provider: wire, name, base_url: `${server.url}/v1`, api_key: providerKey };
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await mock.stop();
    },
  };
}

export type ProviderMock = Awaited<ReturnType<typeof providerMock>>;

async function passedOn(url: string, { path, body, headers }: ProviderRequest): Promise<RawReply> {
  const kept = ["content-type", "authorization", "x-api-key", "anthropic-version"];
  const response = await fetch(url + path, {
    method: "POST",
    headers: Object.fromEntries(kept.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : []))),
    body,
  });
  const type = response.headers.get("content-type");
  return {
    status: response.status,
    headers: type === null ? {} : { "content-type": type },
    ...(response.body && { chunks: response.body }),
  };
}

type AimockRequest = Parameters<Extract<Parameters<LLMock["on"]>[1], (request: never) => unknown>>[0];

function askedBy({ messages, tools = [], tool_choice: toolChoice }: AimockRequest): Asked {
  const users = messages.filter(({ role }) => role === "user").map(({ content }) => textOf(content));
  return {
    step: messages.filter(({ role }) => role === "assistant").length,
    question: users[0] ?? "",
    said: users.at(-1) ?? "",
    tools: tools.map(({ function: { name } }) => name),
    toolChoice,
    results: messages.filter(({ role }) => role === "tool").map(({ content }) => seenResult(textOf(content))),
  };
}

function textOf(content: AimockRequest["messages"][number]["content"]): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");
}

function seenResult(text: string): SeenResult {
  const tag =
    /^<result-\w+ call="(\d+)" server="([^"]*)" tool="([^"]*)" outcome="(\w+)"[^>]*>\n([^]*)\n<\/result-/.exec(text);
  if (!tag) return { text };
  const [, call, server = "", tool = "", outcome = "", inner = ""] = tag;
  return { call: Number(call), server, tool, outcome, text: inner };
}

function answered({ text, calls = [] }: Answer) {
  const toolCalls = calls.map(({ name, arguments: args = {} }, index) => ({
    id: `call_${index}`,
    name,
    arguments: typeof args === "string" ? args : JSON.stringify(args),
  }));
  const usage = { prompt_tokens: 900, completion_tokens: 40, input_tokens: 900, output_tokens: 40 };
  if (toolCalls.length === 0) return { content: text ?? "", usage };
  return text === undefined ? { toolCalls, usage } : { content: text, toolCalls, usage };
}

/** Plays the answers one after another, and stays at the last. */
export function inTurn(...answers: readonly (Answer | ModelPolicy)[]): ModelPolicy {
  return (asked) => {
    const answer = answers[Math.min(asked.step, answers.length - 1)] ?? {};
    return typeof answer === "function" ? answer(asked) : answer;
  };
}

/** The call that ends a run. Each citation is a finding of its own. */
export function reporting(
  verdict: "confirmed" | "likely" | "inconclusive",
  ...citations: readonly (readonly [call: number, server: string])[]
): Answer {
  const findings = citations.map(([call, server]) => ({
    statement: `call ${call} shows it`,
    evidence: [{ call, server }],
  }));
  const claim = { summary: "payments is slow", verdict, findings, next_steps: ["look at payments"] };
  return { calls: [{ name: "report", arguments: claim }] };
}

/** What a JSON body holds under a key, as the bytes that came. Throws where they cannot be found again. */
export function rawPart(body: string, key: "system" | "tools"): string {
  const json = JSON.parse(body) as { system?: unknown; tools?: unknown; messages: unknown[] };
  const value = key === "system" ? (json.system ?? json.messages[0]) : json.tools;
  const text = JSON.stringify(value);
  if (!body.includes(text)) throw new Error(`${key} is not in the body as it is written by JSON.stringify`);
  return text;
}
