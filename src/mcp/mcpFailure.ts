import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { isJsonObject } from "../json/json.ts";
import { McpError } from "./connection.ts";
import { streamEnded } from "./httpTransport.ts";

/** Errors of a socket that never came to be, so that nothing was sent. */
const neverSent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];

/**
 * What went wrong, in our words. `not-connected` means that the request was certainly not carried out, `lost` that the
 * connection broke in between and nobody knows.
 */
export function mcpFailure(error: unknown): McpError {
  if (error instanceof McpError) return error;
  const cause = { cause: error };
  const status = httpStatus(error);

  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError || status === 401) {
    const advice = "OAuth is not supported yet, a token is: `headers: { Authorization: Bearer ... }`";
    return new McpError("unauthorized", `the server wants authorization (HTTP ${status ?? 401}); ${advice}`, cause);
  }
  if (status === 403) return new McpError("unauthorized", `the server denies access (HTTP 403)${bodyOf(error)}`, cause);
  // What servers answer to a session that they do not know: 404 by the specification, 400 in practice.
  if (status === 400 || status === 404) {
    return new McpError("not-connected", `the server refused the request (HTTP ${status})${bodyOf(error)}`, cause);
  }
  if (status === 502 || status === 503 || status === 504) {
    return new McpError("lost", `the server is not available (HTTP ${status})${bodyOf(error)}`, cause);
  }
  if (status !== undefined) return new McpError("protocol", `HTTP ${status}${bodyOf(error)}`, cause);

  if (error instanceof ProtocolError) {
    if (error.data === streamEnded) return new McpError("lost", "the connection broke before the answer", cause);
    return new McpError("protocol", `the server answered with an error: ${error.message} (${error.code})`, cause);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const total = isJsonObject(error.data) && "maxTotalTimeout" in error.data;
    const message = total ? "it kept reporting progress, and no answer came" : "no answer came in time";
    return new McpError("timeout", message, cause);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.CapabilityNotSupported) {
    return new McpError(
      "protocol",
      `the server wants something of its user that Korvus declines${asked(error)}`,
      cause,
    );
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return new McpError("lost", "the connection was closed", cause);
  }
  if (error instanceof Error && (error.message === "Not connected" || isNeverSent(error))) {
    return new McpError("not-connected", rootMessage(error), cause);
  }
  if (isNetworkError(error)) return new McpError("lost", rootMessage(error), cause);
  return new McpError("protocol", rootMessage(error), cause);
}

/** The HTTP status that an error of the SDK stands for. */
export function httpStatus(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  if (error instanceof SseError) return error.code;
  // The SSE transport has no field for it.
  const found = error instanceof Error ? /\(HTTP (\d{3})\)/.exec(error.message) : null;
  return found ? Number(found[1]) : undefined;
}

/** Message of the innermost cause: the outer ones are `fetch failed` and the like. */
export function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return rootMessage(error.errors[0]);
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}

function causes(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return [];
  return [error, ...causes(error.cause)];
}

function isNeverSent(error: unknown): boolean {
  return causes(error).some((cause) => neverSent.includes((cause as NodeJS.ErrnoException).code ?? ""));
}

function isNetworkError(error: unknown): boolean {
  return causes(error).some(
    ({ name, message }) => name === "AbortError" || (name === "TypeError" && /fetch failed|terminated/.test(message)),
  );
}

function asked({ data }: SdkError): string {
  return isJsonObject(data) && typeof data["method"] === "string" ? ` (${data["method"]})` : "";
}

function bodyOf(error: unknown): string {
  const text = error instanceof SdkHttpError ? error.data.text : undefined;
  return typeof text === "string" && text.trim() !== "" ? `: ${text.trim()}` : "";
}
