import type { ResultShape } from "../preset/preset.ts";
import { isEmpty } from "../result/isEmpty.ts";
import { textResult } from "../result/toolResult.ts";
import type { Alert } from "./alerts.ts";
import type { Ask } from "./ask.ts";
import type { Answer, Conversation } from "./conversation.ts";
import type { ClusterEvent } from "./kubernetesEvents.ts";
import type { LogLine } from "./logs.ts";
import type { Source } from "./observation.ts";
import { itemsOf, type Reading, read, sizeOf } from "./reading.ts";
import type { Periods } from "./score.ts";
import { counterRate, type Series } from "./series.ts";
import type { ServiceOf } from "./serviceOf.ts";
import type { Signal } from "./signal.ts";
import type { Span } from "./spans.ts";

/** A call and what its answer is read for. */
export interface Want {
  readonly ask: Ask;
  /** Skill and block, for people. */
  readonly skill: string;
  readonly title: string;
  readonly optional: boolean;
  /** What its series speak of; absent for calls that give none. */
  readonly signal?: Signal;
}

/** All that the answers so far hold. */
export interface Gathered {
  readonly series: readonly FoundSeries[];
  readonly alerts: readonly (Alert & { readonly source: Source })[];
  readonly logs: readonly (LogLine & { readonly source: Source })[];
  readonly events: readonly (ClusterEvent & { readonly source: Source })[];
  readonly spans: readonly Span[];
  /** The calls that brought spans. */
  readonly traceSources: readonly Source[];
  readonly calls: readonly (readonly [caller: string, callee: string])[];
  readonly outcomes: readonly Outcome[];
  /** Time of the newest data point that lies outside of baseline and window; undefined where there is none. */
  readonly newestOutside?: number;
}

/** A series that was read, counters as rates, and what it speaks of. */
export interface FoundSeries {
  readonly source: Source;
  readonly signal: Signal;
  readonly series: Series;
  /** Undefined where no label names a service. */
  readonly service?: string;
  /** How often its counter began at zero again. */
  readonly resets: number;
}

/** What became of one wanted call. */
export interface Outcome {
  readonly want: Want;
  readonly source: Source;
  readonly kind: "data" | "empty" | "outside" | "unreadable" | "failed" | "refused";
  readonly text: string;
  /** Log lines, traces or alerts that the answer holds, those of other times included. */
  readonly items: number;
}

export interface GatherOptions {
  readonly conversation: Conversation;
  readonly periods: Periods;
  readonly serviceOf: ServiceOf;
}

/** What a date can hold, ms. */
const latestDate = 8.64e15;

/** Reads the answers to all wanted calls that were made, each once, in their order. */
export async function gather(wants: readonly Want[], options: GatherOptions): Promise<Gathered> {
  const { conversation, periods, serviceOf } = options;
  const gathered = {
    series: [] as FoundSeries[],
    alerts: [] as (Alert & { source: Source })[],
    logs: [] as (LogLine & { source: Source })[],
    events: [] as (ClusterEvent & { source: Source })[],
    spans: [] as Span[],
    traceSources: [] as Source[],
    calls: [] as (readonly [string, string])[],
    outcomes: [] as Outcome[],
  };
  let newestOutside: number | undefined;
  const isInside = (t: number) => {
    if (t >= periods.baselineFrom && t <= periods.to) return true;
    if (Math.abs(t) <= latestDate) newestOutside = Math.max(newestOutside ?? t, t);
    return false;
  };

  for (const want of wants) {
    const answer = await conversation.answer(want.ask);
    if (answer === undefined) continue;
    const source = { call: answer.call, server: want.ask.server };
    const reading = answer.outcome === "answered" ? read(answer.text, want.ask.shape, serviceOf) : undefined;
    const points = (series: Series) => series.points.filter(({ t }) => isInside(t));
    const trimmed: Reading | undefined = reading && {
      ...reading,
      ...(reading.series ? { series: reading.series.map((one) => ({ ...one, points: points(one) })) } : {}),
      ...(reading.spans ? { spans: reading.spans.filter(({ start }) => isInside(start)) } : {}),
      ...(reading.found ? { found: reading.found.filter(({ start }) => isInside(start)) } : {}),
      ...(reading.events ? { events: reading.events.filter(({ t }) => isInside(t)) } : {}),
      ...(reading.logs ? { logs: reading.logs.filter(({ t }) => isInside(t)) } : {}),
    };
    gathered.outcomes.push({
      want,
      source,
      kind: kindOf(answer, { shape: want.ask.shape, reading, trimmed }),
      text: answer.text,
      items: itemsOf(reading),
    });
    if (!trimmed) continue;
    for (const one of trimmed.series ?? [])
      if (want.signal) gathered.series.push(foundSeries(one, want.signal, { source, service: serviceOf(one.labels) }));
    const { alerts = [], logs = [], events = [], calls = [], spans = [] } = trimmed;
    for (const alert of alerts) gathered.alerts.push({ ...alert, source });
    for (const line of logs) gathered.logs.push({ ...line, source });
    for (const event of events) gathered.events.push({ ...event, source });
    for (const call of calls) gathered.calls.push(call);
    for (const span of spans) gathered.spans.push(span);
    if (spans.length > 0) gathered.traceSources.push(source);
  }
  return { ...gathered, ...(newestOutside === undefined ? {} : { newestOutside }) };
}

function foundSeries(
  series: Series,
  signal: Signal,
  { source, service }: { readonly source: Source; readonly service: string | undefined },
): FoundSeries {
  const rated = signal.counter ? counterRate(series) : { series, resets: 0 };
  return { source, signal, ...rated, ...(service === undefined ? {} : { service }) };
}

/** Answers that are there for people: nothing is compared in them, and nobody expects it. */
const unread: ReadonlySet<ResultShape> = new Set(["prose", "json", "names", "autotel_errors", "kubernetes"]);

function kindOf(
  answer: Answer,
  { shape, reading, trimmed }: { shape: ResultShape; reading: Reading | undefined; trimmed: Reading | undefined },
): Outcome["kind"] {
  if (answer.outcome !== "answered") return answer.outcome;
  if (isEmpty(textResult(answer.text))) return "empty";
  if (!reading || !trimmed) return unread.has(shape) ? "data" : "unreadable";
  if (sizeOf(reading) === 0) return "empty";
  return sizeOf(trimmed) === 0 ? "outside" : "data";
}
