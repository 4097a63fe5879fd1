import type { LogLine } from "../log/log.ts";
import type { Colors } from "./terminal.ts";
import { visible } from "./text.ts";

/** `  warn   message   key=value`, on one line. */
export function renderLogLine({ level, message, ...fields }: LogLine, colors: Colors): string {
  const color = level === "error" ? colors.red : level === "warn" ? colors.yellow : colors.dim;
  const pairs = Object.entries(fields).map(([key, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    return `${key}=${/^[^\s"]+$/.test(text) ? text : JSON.stringify(text)}`;
  });
  return `  ${color(level.padEnd(5))}  ${visible(message)}${pairs.length > 0 ? `   ${colors.dim(visible(pairs.join(" ")))}` : ""}\n`;
}
