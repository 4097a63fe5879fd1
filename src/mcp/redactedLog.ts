import type { Log } from "../log/log.ts";
import type { Redact } from "../redact/redact.ts";
import { shortMessage } from "./shortMessage.ts";

/** A `Log` for lines that quote a backend: every field and message is redacted, and a long text cut, on its way to `log`. */
export function redactedLog(log: Log, redact: Redact): Log {
  const short = (fields: object) =>
    Object.fromEntries(
      Object.entries<unknown>({ ...redact(fields) }).map(([key, value]) => [
        key,
        typeof value === "string" ? shortMessage(value, redact) : value,
      ]),
    );
  return {
    debug: (fields, message) => log.debug(short(fields), shortMessage(message, redact)),
    info: (fields, message) => log.info(short(fields), shortMessage(message, redact)),
    warn: (fields, message) => log.warn(short(fields), shortMessage(message, redact)),
    error: (fields, message) => log.error(short(fields), shortMessage(message, redact)),
  };
}
