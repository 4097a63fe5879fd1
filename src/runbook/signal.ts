import type { Block, Expect, Unit } from "../query/block.ts";

/**
 * What a series speaks of. `latency` and `errors` travel from a culprit to its callers; the others stay where they are,
 * but for `traffic`, which follows whatever happens.
 */
export type SignalKind =
  | "latency"
  | "errors"
  | "saturation"
  | "memory"
  | "cpu"
  | "restarts"
  | "availability"
  | "traffic"
  | "other";

export interface Signal {
  readonly kind: SignalKind;
  readonly title: string;
  readonly unit?: Unit;
  readonly expect: Expect;
  /** The least deviation that is worth a word, in the unit. */
  readonly floor: number;
  readonly quantile: boolean;
  /** No series means zero. */
  readonly fromZero: boolean;
  /** The query gives a counter as it stands. */
  readonly counter: boolean;
}

const words: readonly (readonly [SignalKind, RegExp])[] = [
  ["restarts", /restart|crash|oom.?kill/i],
  ["saturation", /saturat|pool|waiting|queue|backlog|in.?use|throttl|exhaust|connections?\b|event.?loop|lag\b/i],
  ["errors", /error|fail|5xx|5\.\.|exception|refus|reject|status=~?"5/i],
  ["memory", /memory|heap|rss|resident|working.?set/i],
  ["availability", /availab|replicas|unready|\btargets?\b|\bup\b/i],
  ["latency", /latenc|duration|slow|response.?time|\bp\d\d/i],
  ["cpu", /\bcpu|cores?\b/i],
  ["traffic", /traffic|throughput|requests?|rate\b|\brps|\bqps|calls|lines/i],
];

/** Without a hint of the author's, nobody knows which direction of these is bad. */
const eitherWay: ReadonlySet<SignalKind> = new Set(["traffic", "availability", "other"]);

/** The kind that a text speaks of, by its words. */
export function kindIn(text: string): SignalKind | undefined {
  return words.find(([, pattern]) => pattern.test(text))?.[0];
}

/** From a block's title and hints, else from the words of its query. Pure. */
export function signalOf(block: Pick<Block, "title" | "hints">, text: string): Signal {
  const kind = kindIn(block.title) ?? kindIn(text) ?? "other";
  const unit = block.hints.unit ?? unitOf(text);
  return {
    kind,
    title: named(block.title),
    ...(unit === undefined ? {} : { unit }),
    expect: block.hints.expect ?? (eitherWay.has(kind) ? "any" : "high"),
    floor: floorOf(kind, unit),
    quantile: /quantile/i.test(text),
    fromZero: kind === "errors" || kind === "restarts",
    counter: /^\s*[\w:]+_total\s*(\{[^}]*\})?\s*$/.test(text),
  };
}

/** A title as a part of a sentence about one service. */
function named(title: string): string {
  const short = title.replace(/\s+(?:by|per|of each) service\b/i, "");
  return /^[A-Z][a-z]/.test(short) ? `${short.charAt(0).toLowerCase()}${short.slice(1)}` : short;
}

function unitOf(text: string): Unit | undefined {
  if (/histogram_quantile.*seconds|_seconds_sum.*_seconds_count/s.test(text)) return "seconds";
  if (/quantile.*_milliseconds|_milliseconds_sum/s.test(text)) return "milliseconds";
  if (/\b(rate|irate|increase|deriv)\s*\(/.test(text)) return /\)\s*\/\s*\S/.test(text) ? "ratio" : "per_second";
  if (/_bytes\b/.test(text)) return "bytes";
  return /_seconds\b/.test(text) ? "seconds" : undefined;
}

function floorOf(kind: SignalKind, unit: Unit | undefined): number {
  if (kind === "availability") return 0.1;
  switch (unit) {
    case "seconds":
      return 0.01;
    case "milliseconds":
      return 10;
    case "ratio":
      return kind === "errors" ? 0.01 : 0.05;
    case "bytes":
      return 2 ** 20;
    case "cores":
      return 0.05;
    case "per_second":
      return kind === "errors" ? 0.1 : 0.5;
    default:
      return kind === "saturation" || kind === "errors" || kind === "restarts" ? 0.5 : 1e-9;
  }
}
