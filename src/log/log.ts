/**
 * Where Korvus says what it does. Fields are for machines, the message is for people. Implementations must not throw.
 * Nothing secret may be passed: what comes from a backend has gone through `redact` first.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** One call of a `Log`: its fields spread beside level and message. */
export type LogLine = { readonly level: LogLevel; readonly message: string } & Readonly<Record<string, unknown>>;

/** A `Log` that hands each line to `write`, for sinks that only care about lines at or above `level`. */
export function lineLog(level: LogLevel, write: (line: LogLine) => void): Log {
  const lowest = logLevels.indexOf(level);
  const at = (lineLevel: LogLevel) => (fields: object, message: string) => {
    if (logLevels.indexOf(lineLevel) >= lowest) write({ ...fields, level: lineLevel, message });
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** A `Log` that keeps every line in memory, so that a caller can read what was said. */
export function memoryLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  return { ...lineLog("debug", (line) => lines.push(line)), lines };
}
