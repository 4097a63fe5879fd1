import type { Span } from "./spans.ts";

/** What the services of one trace did themselves, apart from what they waited for in others. */
export interface TraceWork {
  readonly trace: string;
  /** ms since the Unix epoch. */
  readonly start: number;
  readonly services: ReadonlyMap<string, OwnWork>;
  /** Who called whom. */
  readonly calls: readonly (readonly [caller: string, callee: string])[];
}

export interface OwnWork {
  /** Span time less that of children, ms. */
  readonly time: number;
  /** The longest of its spans, ms: what its caller waits for. */
  readonly elapsed: number;
  /** Where most of its own time went: a span's name. */
  readonly busiest: string;
  /** It failed by itself: a span failed and no child of that span did. The words of the error, or "". */
  readonly error?: string;
  /** It answered with a failure, whoever caused it. */
  readonly failed: boolean;
}

/**
 * Own time and own errors by trace, oldest first. A call into another service costs the caller nothing of its own; one
 * that no span answers counts for the service it went to, where the caller names it: a service that is down sends no
 * spans.
 */
export function ownWork(spans: readonly Span[]): readonly TraceWork[] {
  const unique = new Map(spans.map((span) => [`${span.trace}/${span.id}`, span]));
  const traces = Map.groupBy(unique.values(), ({ trace }) => trace);
  return [...traces.values()].map(workOf).sort((a, b) => a.start - b.start || (a.trace < b.trace ? -1 : 1));
}

function workOf(spans: readonly Span[]): TraceWork {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const children = Map.groupBy(
    spans.filter(({ parent }) => parent !== undefined && byId.has(parent)),
    ({ parent }) => parent as string,
  );
  const parts = spans.map((span) => partOf(span, children.get(span.id) ?? []));
  const calls = spans.flatMap((span) => {
    const parent = span.parent === undefined ? undefined : byId.get(span.parent);
    return parent && parent.service !== span.service ? [[parent.service, span.service] as const] : [];
  });
  const byService = Map.groupBy(parts, ({ service }) => service);
  return {
    trace: spans[0]?.trace ?? "",
    start: Math.min(...spans.map(({ start }) => start)),
    services: new Map([...byService].map(([service, list]) => [service, summed(list)])),
    calls,
  };
}

interface Part {
  readonly service: string;
  readonly name: string;
  readonly time: number;
  readonly elapsed: number;
  readonly error?: string;
  readonly failed: boolean;
}

function partOf(span: Span, children: readonly Span[]): Part {
  const { service, name, peer, failed, message = "" } = span;
  const remote = children.some((child) => child.service !== service);
  const unanswered = peer !== undefined && peer !== service && children.length === 0;
  const origin = failed && !children.some((child) => child.failed);
  return {
    service: unanswered ? peer : service,
    name,
    // The time between a call and its handling is the network's: neither side's own.
    time: remote ? 0 : Math.max(0, span.duration - covered(span, children)),
    elapsed: span.duration,
    ...(origin ? { error: message } : {}),
    failed,
  };
}

/** Time within a span that children take, overlaps counted once. */
function covered({ start, duration }: Span, children: readonly Span[]): number {
  const end = start + duration;
  let sum = 0;
  let reached = start;
  for (const child of [...children].sort((a, b) => a.start - b.start)) {
    const from = Math.max(child.start, reached);
    const to = Math.min(child.start + child.duration, end);
    if (to > from) sum += to - from;
    reached = Math.max(reached, to);
  }
  return sum;
}

function summed(parts: readonly Part[]): OwnWork {
  const busiest = parts.reduce((most, part) => (part.time > most.time ? part : most));
  const origin = parts.find(({ error }) => error !== undefined);
  return {
    time: parts.reduce((sum, { time }) => sum + time, 0),
    elapsed: Math.max(...parts.map(({ elapsed }) => elapsed)),
    busiest: busiest.name,
    ...(origin?.error === undefined ? {} : { error: origin.error }),
    failed: parts.some(({ failed }) => failed),
  };
}
