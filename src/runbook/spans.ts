import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { parseJson } from "./series.ts";

/** One span of a trace, whatever backend it comes from. */
export interface Span {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly service: string;
  readonly name: string;
  /** ms since the Unix epoch. */
  readonly start: number;
  /** ms. */
  readonly duration: number;
  readonly failed: boolean;
  /** The service that a call went to, as the caller names it. */
  readonly peer?: string;
  /** What went wrong, in the span's own words. */
  readonly message?: string;
}

/** Spans in an answer of autotel-mcp (traces or spans) or of Tempo (one trace); undefined where the text holds none of these. */
export function readSpans(text: string): readonly Span[] | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const batches = value["batches"] ?? value["resourceSpans"] ?? inside(value, "trace")?.["resourceSpans"];
  if (Array.isArray(batches)) return batches.flatMap((batch) => (isJsonObject(batch) ? otlpSpans(batch) : []));
  const data = inside(value, "data") ?? value;
  const items = data["items"] ?? data["spans"];
  if (!Array.isArray(items)) return undefined;
  return items.flatMap((item) => {
    if (!isJsonObject(item)) return [];
    const shared = { ...inside(data, "resource"), ...inside(item, "resource") };
    const spans = Array.isArray(item["spans"]) ? item["spans"] : [item];
    return spans.flatMap((span) => (isJsonObject(span) ? autotelSpan(span, shared) : []));
  });
}

function inside(value: JsonObject, key: string): JsonObject | undefined {
  const found = value[key];
  return isJsonObject(found) ? found : undefined;
}

function autotelSpan(span: JsonObject, shared: JsonObject): readonly Span[] {
  const { traceId, spanId, parentSpanId, operationName, serviceName, startTimeUnixMs, durationMs, hasError } = span;
  if (typeof traceId !== "string" || typeof spanId !== "string" || typeof serviceName !== "string") return [];
  if (typeof startTimeUnixMs !== "number" || typeof durationMs !== "number") return [];
  return [
    {
      trace: traceId,
      id: spanId,
      ...(typeof parentSpanId === "string" && parentSpanId !== "" ? { parent: parentSpanId } : {}),
      service: serviceName,
      name: typeof operationName === "string" ? operationName : "",
      start: startTimeUnixMs,
      duration: durationMs,
      failed: hasError === true,
      ...wordsOf({ ...shared, ...inside(span, "tags") }),
    },
  ];
}

function otlpSpans(batch: JsonObject): readonly Span[] {
  const resource = attributesOf(inside(batch, "resource")?.["attributes"]);
  const service = resource["service.name"];
  const scopes = batch["scopeSpans"] ?? batch["instrumentationLibrarySpans"];
  if (typeof service !== "string" || !Array.isArray(scopes)) return [];
  return scopes.flatMap((scope) => {
    const spans = isJsonObject(scope) && Array.isArray(scope["spans"]) ? scope["spans"] : [];
    return spans.flatMap((span) => (isJsonObject(span) ? otlpSpan(span, service) : []));
  });
}

function otlpSpan(span: JsonObject, service: string): readonly Span[] {
  const { traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano } = span;
  const start = Number(startTimeUnixNano) / 1e6;
  const duration = Number(BigInt(digits(endTimeUnixNano)) - BigInt(digits(startTimeUnixNano))) / 1e6;
  if (typeof spanId !== "string" || !Number.isFinite(start) || duration < 0) return [];
  const status = inside(span, "status") ?? {};
  const message = typeof status["message"] === "string" && status["message"] !== "" ? status["message"] : undefined;
  const words = wordsOf(attributesOf(span["attributes"]));
  return [
    {
      trace: typeof traceId === "string" ? traceId : "",
      id: spanId,
      ...(typeof parentSpanId === "string" && parentSpanId !== "" ? { parent: parentSpanId } : {}),
      service,
      name: typeof name === "string" ? name : "",
      start,
      duration,
      failed: status["code"] === "STATUS_CODE_ERROR" || status["code"] === 2,
      ...words,
      ...(message === undefined ? {} : { message }),
    },
  ];
}

function digits(value: Json | undefined): string {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^\d+$/.test(text) ? text : "0";
}

function attributesOf(list: Json | undefined): JsonObject {
  if (!Array.isArray(list)) return {};
  return Object.fromEntries(
    list.flatMap((attribute): readonly (readonly [string, Json])[] => {
      if (!isJsonObject(attribute) || typeof attribute["key"] !== "string") return [];
      const value = inside(attribute, "value") ?? {};
      return [[attribute["key"], value["stringValue"] ?? value["intValue"] ?? value["boolValue"] ?? ""]];
    }),
  );
}

/** Names that OpenTelemetry's conventions give to the callee and to an error's text, older ones included. */
const peerKeys = ["peer.service", "service.peer.name", "net.peer.name"];
const messageKeys = ["exception.message", "error.message", "otel.status_description", "error.type"];

function wordsOf(tags: JsonObject): Pick<Span, "peer" | "message"> {
  const first = (keys: readonly string[]) =>
    keys.map((key) => tags[key]).find((value) => typeof value === "string" && value !== "") as string | undefined;
  const peer = first(peerKeys);
  const message = first(messageKeys);
  return { ...(peer === undefined ? {} : { peer }), ...(message === undefined ? {} : { message }) };
}
