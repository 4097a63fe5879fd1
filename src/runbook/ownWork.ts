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

interface OwnWork {
  /** Span time less that of children, ms. */
  readonly time: number;
  /** What calls to it took beyond its own spans, ms: the network, or a service too busy to begin. */
  readonly waited: number;
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
 * Own time and own errors by trace, oldest first. A call into another service costs the caller nothing of its own: what
 * it takes beyond the callee's span is waiting for the callee. A call that no span answers counts for the service it
 * went to, where the caller names it: a service that is down sends no spans.
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
  const parts = spans.flatMap((span) => {
    const parent = span.parent === undefined ? undefined : byId.get(span.parent);
    return partsOf(span, { children: children.get(span.id) ?? [], isEntry: parent?.service !== span.service });
  });
  const calls = spans.flatMap((span) => {
    const parent = span.parent === undefined ? undefined : byId.get(span.parent);
    return parent && parent.service !== span.service ? [[parent.service, span.service] as const] : [];
  });
  const byService = Map.groupBy(parts, ({ service }) => service);
  return {
    trace: spans[0]?.trace ?? "",
    start: spans.reduce((first, { start }) => Math.min(first, start), Number.POSITIVE_INFINITY),
    services: new Map([...byService].map(([service, list]) => [service, summed(list)])),
    calls,
  };
}

interface Part {
  readonly service: string;
  readonly name: string;
  readonly time: number;
  readonly waited: number;
  readonly elapsed: number;
  readonly error?: string;
  readonly failed: boolean;
}

/** What a span adds to its own service, or, being a call, to the one that was called. */
function partsOf(
  span: Span,
  { children, isEntry }: { readonly children: readonly Span[]; readonly isEntry: boolean },
): readonly Part[] {
  const { service, name, peer, failed, duration, message = "" } = span;
  const callee = isEntry ? undefined : children.find((child) => child.service !== service)?.service;
  const rest = Math.max(0, duration - covered(span, children));
  const own: Part = {
    service: peer !== undefined && peer !== service && children.length === 0 ? peer : service,
    name,
    time: callee === undefined ? rest : 0,
    waited: 0,
    elapsed: duration,
    ...(failed && !children.some((child) => child.failed) ? { error: message } : {}),
    failed,
  };
  if (callee === undefined) return [own];
  return [own, { service: callee, name, time: 0, waited: rest, elapsed: 0, failed: false }];
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
    waited: parts.reduce((sum, { waited }) => sum + waited, 0),
    elapsed: parts.reduce((most, { elapsed }) => Math.max(most, elapsed), 0),
    busiest: busiest.name,
    ...(origin?.error === undefined ? {} : { error: origin.error }),
    failed: parts.some(({ failed }) => failed),
  };
}
