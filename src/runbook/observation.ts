import type { Departure } from "./score.ts";
import type { Series } from "./series.ts";
import type { Signal } from "./signal.ts";

/** Where something was read: the number of the call and the server that answered it. */
export interface Source {
  readonly call: number;
  readonly server: string;
}

/** A series, what it speaks of, and how it departs from its baseline. */
export interface Observation {
  readonly source: Source;
  readonly signal: Signal;
  readonly series: Series;
  /** Undefined where no label names a service. */
  readonly service?: string;
  readonly departure: Departure;
}
