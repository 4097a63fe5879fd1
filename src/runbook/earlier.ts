import { analyse } from "./analysis.ts";
import { type Compared, compare } from "./observation.ts";
import { clockTime } from "./quantity.ts";

/** Of the whole time, the first part is held against the rest. */
const first = 1 / 4;

/**
 * Where the window shows nothing: whoever departed in the baseline already, in one sentence. A baseline that holds the
 * incident hides it.
 */
export function earlierNote(compared: Compared): string | undefined {
  const { periods, dataFrom } = compared;
  if (dataFrom !== undefined) return undefined;
  const { baselineFrom, from, to } = periods;
  const wider = { ...periods, from: Math.round(baselineFrom + first * (to - baselineFrom)) };
  const { suspects, tied } = analyse(compare(compared, wider)).ranking;
  const [suspect] = suspects;
  if (suspect?.onset === undefined || suspect.onset >= from || tied > 1) return undefined;
  return `${suspect.service} departed at ${clockTime(suspect.onset, periods)} already, before the window: let the window begin earlier.`;
}
