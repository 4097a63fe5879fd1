import type { Redact, Redacted } from "../redact/redact.ts";

/** What a server says of a failure is told as far as people and models can use it, characters. */
const longest = 2_000;
/** What is left of a longer one: with the note it is short enough not to be cut again by a replay. */
const kept = longest - 50;

/** A message, redacted before it is cut: half of a secret would not be found any more. */
export function shortMessage(text: string, redact: Redact): Redacted<string> {
  const safe = redact(text);
  return safe.length > longest ? redact(`${safe.slice(0, kept).toWellFormed()}… (${safe.length} characters)`) : safe;
}
