import type { Random } from "./random.ts";

type Attributes = Readonly<Record<string, string | number>>;

export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

export interface Span {
  readonly context: SpanContext;
  /** The header that makes the callee's span a child of this one. */
  readonly traceparent: string;
  end(attributes: Attributes, error?: string): void;
}

export interface Telemetry {
  span(kind: "internal" | "server" | "client", name: string, parent?: SpanContext): Span;
  log(severity: "INFO" | "WARN" | "ERROR", message: string, context: SpanContext, attributes: Attributes): void;
}

const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const;
const SEVERITY = { INFO: 9, WARN: 13, ERROR: 17 } as const;
const FLUSH_EVERY = 300;
const QUEUE_LIMIT = 5000;

/** W3C trace context; undefined when there is none or it is not valid. */
export function parseTraceparent(header: string | undefined): SpanContext | undefined {
  const [, traceId, spanId] = header?.match(/^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}

/** OpenTelemetry traces and logs of one service, sent in batches as OTLP over HTTP with JSON. */
export function telemetry(service: string, otlpUrl: string, random: Random): Telemetry {
  const resource = { attributes: toOtlp({ "service.name": service, "service.version": "1.0.0" }) };
  const spans: object[] = [];
  const logs: object[] = [];

  const flush = async () => {
    const scope = { name: "bed" };
    const spanBatch = spans.splice(0);
    const logBatch = logs.splice(0);
    if (spanBatch.length > 0)
      await post("traces", { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spanBatch }] }] });
    if (logBatch.length > 0)
      await post("logs", { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: logBatch }] }] });
  };
  async function post(signal: string, body: object): Promise<void> {
    const response = await fetch(`${otlpUrl}/v1/${signal}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(2000),
    });
    if (!response.ok) console.error(`${signal} refused: ${response.status} ${await response.text()}`);
  }
  // A service goes on without its collector; the batch is lost, and its output says so.
  setInterval(() => void flush().catch((error: unknown) => console.error("export failed:", error)), FLUSH_EVERY);

  return {
    span(kind, name, parent) {
      const context = { traceId: parent?.traceId ?? random.hex(32), spanId: random.hex(16) };
      const started = now();
      return {
        context,
        traceparent: `00-${context.traceId}-${context.spanId}-01`,
        end(attributes, error) {
          if (spans.length >= QUEUE_LIMIT) return;
          spans.push({
            ...context,
            ...(parent && { parentSpanId: parent.spanId }),
            name,
            kind: SPAN_KIND[kind],
            startTimeUnixNano: started.toString(),
            endTimeUnixNano: now().toString(),
            attributes: toOtlp(error === undefined ? attributes : { ...attributes, "error.message": error }),
            status: error === undefined ? {} : { code: 2, message: error },
          });
        },
      };
    },
    log(severity, message, context, attributes) {
      if (logs.length >= QUEUE_LIMIT) return;
      logs.push({
        ...context,
        timeUnixNano: now().toString(),
        severityNumber: SEVERITY[severity],
        severityText: severity,
        body: { stringValue: message },
        attributes: toOtlp(attributes),
      });
    },
  };
}

/** Nanoseconds since 1970 at microsecond precision: a double cannot hold more. */
function now(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
}

function toOtlp(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { intValue: String(Math.round(value)) },
  }));
}
