import { type Question, type QuestionMessage, SessionError } from "./session.ts";
import type { Surroundings } from "./surroundings.ts";
import { timeWindow, WindowError } from "./timeWindow.ts";

/** Far more than anybody asks, UTF-16 code units. */
const longestQuestion = 4_000_000;

/** A question as it is stored: redacted, its window in absolute times. Throws `SessionError` `invalid`. */
export function questionMessage(
  { question, window = {} }: Question,
  { redact, now }: Pick<Surroundings, "redact" | "now">,
): QuestionMessage {
  const asked = question.trim();
  if (asked === "") throw new SessionError("invalid", "the question is empty");
  if (asked.length > longestQuestion)
    throw new SessionError("invalid", `the question is longer than ${longestQuestion} characters`);
  try {
    return { question: redact(asked), window: timeWindow({ ...window, now: now() }) };
  } catch (cause) {
    if (!(cause instanceof WindowError)) throw cause;
    throw new SessionError("invalid", cause.message, { cause });
  }
}
