import { setTimeout as delay } from "node:timers/promises";
import type { Fault } from "../bed/fault.ts";
import { type Random, seededRandom } from "../bed/random.ts";
import type { Names, Role } from "../bed/roles.ts";
import { type Bed, startBed } from "../bed/startBed.ts";

/** One incident of the bed, everything in it drawn from its seed. */
export interface Incident {
  readonly seed: number;
  /** What is wrong and where; absent for a run without a fault. */
  readonly cause?: { readonly role: Role; readonly fault: Fault };
  readonly names: Names;
  /** Length of the window, and of its baseline, ms. */
  readonly window: number;
  /** How long the fault is on when the investigation begins, ms. */
  readonly age: number;
}

const roles: readonly Role[] = ["checkout", "inventory", "payments"];
const kinds: readonly Fault["kind"][] = ["latency", "errors", "pool", "memory"];
/** Each kind in each service, and two runs without a fault. */
export const round = roles.length * kinds.length + 2;

const fleet = [
  "orders",
  "cart",
  "ledger",
  "stock",
  "gateway",
  "billing",
  "search",
  "auth",
  "catalog",
  "wallet",
  "depot",
];

/** The incident of a seed: `round` seeds in a row hold every kind in every service. */
export function incidentOf(seed: number): Incident {
  const random = seededRandom(seed, "incident");
  const place = (seed - 1) % round;
  const kind = kinds[Math.floor(place / roles.length)];
  const role = roles[place % roles.length] as Role;
  const window = random.next() < 0.5 ? 30_000 : 40_000;
  const age = 12_000 + Math.floor(random.next() * 14) * 1000;
  return {
    seed,
    ...(kind === undefined ? {} : { cause: { role, fault: faultOf(kind, random) } }),
    names: namesOf(random),
    window,
    age,
  };
}

/** From what an alert just sees to what nobody misses. */
function faultOf(kind: Fault["kind"], random: Random): Fault {
  const strength = random.next();
  switch (kind) {
    case "latency":
      return { kind, amount: Math.round(120 + 700 * strength) };
    case "errors":
      return { kind, amount: Number((0.12 + 0.6 * strength).toFixed(2)) };
    case "pool":
      return { kind, amount: strength < 0.15 ? 9 : 10 };
    case "memory":
      return { kind, amount: Math.round(4 + 18 * strength) };
  }
}

/** Two in three runs call the services by other names, so that none can be known by heart. */
function namesOf(random: Random): Names {
  if (random.next() < 1 / 3) return { checkout: "checkout", inventory: "inventory", payments: "payments" };
  const drawn = fleet
    .map((name) => ({ name, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ name }) => name) as [string, string, string];
  return { checkout: drawn[0], inventory: drawn[1], payments: drawn[2] };
}

/** Starts a bed and lets the incident happen; resolves at the moment of the investigation. The caller ends the bed. */
export async function happen({ seed, cause, names, window, age }: Incident, signal: AbortSignal): Promise<Bed> {
  const bed = await startBed({ seed, names });
  try {
    await delay(2 * window + 1000 - age, undefined, { signal });
    if (cause) await bed.fault(cause.role, cause.fault);
    await delay(age, undefined, { signal });
    return bed;
  } catch (error) {
    await bed[Symbol.asyncDispose]();
    throw error;
  }
}
