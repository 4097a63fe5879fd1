import { APICallError } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "../json/json.ts";
import type { Redact } from "../redact/redact.ts";
import type { ModelErrorCode } from "./model.ts";
import { retryAfterOf } from "./retryAfter.ts";

export interface ModelFailure {
  readonly code: ModelErrorCode;
  /** One line for people, redacted: no stack, no more than a few hundred characters. */
  readonly message: string;
  readonly retryable: boolean;
  /** ms */
  readonly retryAfter?: number;
}

export interface ErrorContext {
  /** Milliseconds since the Unix epoch, for waits that are given as a date. */
  readonly now: number;
  /** The answer had begun: what is not told apart otherwise is then a cut stream. */
  readonly streaming: boolean;
  /** Over what the provider said, which may repeat a key. */
  readonly redact: Redact;
}

/** What an error of a provider, its wire or its stream means to a loop that may try again. */
export function classifyError(error: unknown, { now, streaming, redact }: ErrorContext): ModelFailure {
  const { status, text, host, headers, body, network } = factsOf(error);
  const failure = (code: ModelErrorCode, retryable: boolean, message: string): ModelFailure => {
    const retryAfter = retryable ? retryAfterOf(headers, body, now) : undefined;
    // Before it is cut: half a secret is not found any more.
    return { code, message: oneLine(redact(message)), retryable, ...(retryAfter !== undefined && { retryAfter }) };
  };

  if (status === undefined || status < 400) {
    if (tooLong.test(text)) return failure("too-long", false, `the prompt is too long for the model: ${text}`);
    if (streaming || status !== undefined) return failure("cut", true, `the answer was cut: ${network ?? text}`);
    // A bad certificate stays bad.
    if (network)
      return failure("unreachable", !/CERT|SIGNED|VERIFY|SSL|TLS/.test(network), `cannot reach ${host}: ${network}`);
    return failure("provider", false, text);
  }

  const message = `${host} answered ${status}: ${text}`;
  if (tooLong.test(text) || status === 413) return failure("too-long", false, message);
  if (status === 429) return failure("rate-limited", !usedUp.test(`${text} ${body}`), message);
  if (status === 529 || status === 503) return failure("overloaded", true, message);
  if (status === 401 || status === 402 || status === 403) return failure("unauthorized", false, message);
  if (status >= 500 || status === 408 || status === 409) return failure("provider", true, message);
  return failure("invalid-request", false, message);
}

const tooLong =
  /context[ _-]?(?:length|window|size)|prompt is too long|input is too long|maximum context|token count.*exceeds|request[ _]too[ _]large|reduce the length/i;

/** A 429 that no waiting cures. */
const usedUp = /insufficient_quota|exceeded your current quota, please check your plan|billing/i;

interface Facts {
  readonly status: number | undefined;
  readonly text: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What failed below HTTP: a code such as ECONNREFUSED where there is one. */
  readonly network: string | undefined;
}

function factsOf(error: unknown): Facts {
  const nothing = { headers: {}, body: "", host: "the provider" };
  if (APICallError.isInstance(error)) {
    const { statusCode, responseHeaders = {}, responseBody = "", url } = error;
    return {
      status: statusCode,
      text: saidIn(responseBody) ?? (error.message || "no reason given"),
      host: hostOf(url),
      headers: responseHeaders,
      body: responseBody,
      network: networkCode(error) ?? (statusCode === undefined ? error.message : undefined),
    };
  }
  if (error instanceof Error) {
    return { ...nothing, status: undefined, text: error.message || error.name, network: networkCode(error) };
  }
  // An error that came as an event of the stream: the provider's own words, or the SDK's rendering of them.
  const frame = isJsonObject(error) ? error : {};
  return {
    ...nothing,
    status: statusOf(frame),
    text: saidIn(JSON.stringify(frame)) ?? String(error),
    body: JSON.stringify(frame),
    network: undefined,
  };
}

function statusOf(frame: JsonObject): number | undefined {
  const inner = isJsonObject(frame["error"]) ? frame["error"] : frame;
  const number = [frame["statusCode"], inner["status"], inner["code"]].find(
    (value) => typeof value === "number" && value >= 400 && value < 600,
  );
  if (typeof number === "number") return number;
  const words = [inner["type"], inner["code"]].filter((value) => typeof value === "string").join(" ");
  return statusOfWords.find(([pattern]) => pattern.test(words))?.[1];
}

const statusOfWords: readonly (readonly [RegExp, number])[] = [
  [/overloaded|unavailable/i, 503],
  [/rate_limit|insufficient_quota/i, 429],
  [/authentication|invalid_api_key|permission/i, 401],
  [/invalid_request|invalid_prompt|not_found/i, 400],
  [/server_error|api_error|internal/i, 500],
];

/** The sentence in an error body, wherever that server keeps it. */
function saidIn(body: string): string | undefined {
  try {
    const value = JSON.parse(body) as unknown;
    const outer: unknown = Array.isArray(value) ? value[0] : value;
    if (!isJsonObject(outer)) return undefined;
    const inner = isJsonObject(outer["error"]) ? outer["error"] : outer;
    return [inner["message"], outer["error"], outer["detail"]].find(
      (text): text is string => typeof text === "string" && text !== "",
    );
  } catch {
    // Not JSON: a proxy's page, or nothing. The status line has to do.
    return undefined;
  }
}

/** The system's or the socket's code on the chain of causes, which tells a network's failure from a mistake of ours. */
function networkCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (
      typeof code === "string" &&
      /^(?:E(?!RR_)|UND_ERR_|CERT_|ERR_(?:SSL|TLS)|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO)/.test(code)
    ) {
      return code;
    }
  }
  return undefined;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "the provider";
}

function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length > 400 ? `${line.slice(0, 399)}…` : line;
}
