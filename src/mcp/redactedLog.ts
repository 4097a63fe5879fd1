import type { Log } from "../log/log.ts";
import type { Redact } from "../redact/redact.ts";

/** A `Log` for lines that quote a backend: every field and message is redacted on its way to `log`. */
export function redactedLog(log: Log, redact: Redact): Log {
  return {
    debug: (fields, message) => log.debug(redact(fields), redact(message)),
    info: (fields, message) => log.info(redact(fields), redact(message)),
    warn: (fields, message) => log.warn(redact(fields), redact(message)),
    error: (fields, message) => log.error(redact(fields), redact(message)),
  };
}
