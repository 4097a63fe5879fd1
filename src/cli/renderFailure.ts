import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../config/configError.ts";
import { CatalogError } from "../skill/catalog.ts";
import { shownPath } from "./shownPath.ts";
import type { Colors } from "./terminal.ts";
import { shortened, visible } from "./text.ts";

export interface FailureView {
  readonly colors: Colors;
  readonly cwd: string;
  readonly width: number;
  /** Shows the stack of what nobody expected. */
  readonly debug: boolean;
}

/** An error as people read it: what is wrong, where, and what to do. Never a stack, unless it was asked for. */
export function renderFailure(error: unknown, view: FailureView): string {
  const { colors } = view;
  // What went wrong, then what went wrong while that was cleaned up.
  if (error instanceof SuppressedError) return renderFailure(error.suppressed, view) + renderFailure(error.error, view);
  const head = (text: string) => `${colors.red("error")}  ${text}\n`;
  if (error instanceof CatalogError) return `${head(catalogTitle(error))}\n${catalogErrors(error, view)}`;
  if (error instanceof ConfigError) {
    const lines = error.message.split("\n").map((line) => `  ${visible(line)}\n`);
    return `${head("the configuration cannot be used")}${lines.join("")}`;
  }
  if (isOurs(error)) return head(error.message.split("\n").map(visible).join("\n       "));
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  if (view.debug) return head(stack);
  if (isOfTheSystem(error)) return head(visible(message));
  return `${head(`unexpected: ${visible(message)}`)}       This is a fault of Korvus. --log-level debug shows where it happened.\n`;
}

/** Errors with a code of ours are written for people; anything else is a surprise. */
function isOurs(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error &&
    error.name !== "Error" &&
    typeof (error as { code?: unknown }).code === "string" &&
    !("errno" in error)
  );
}

/** A full disk, a directory that nobody may write: no fault of ours, and Node's words name the path. */
function isOfTheSystem(error: unknown): boolean {
  return error instanceof Error && "errno" in error && "syscall" in error;
}

function catalogTitle({ errors, path }: CatalogError): string {
  if (path === "") return "skills cannot be loaded: their directory cannot be read";
  return errors.length === 1
    ? "skills cannot be loaded: a file is broken"
    : `skills cannot be loaded: ${errors.length} files are broken`;
}

function catalogErrors({ errors, path }: CatalogError, { colors, cwd, width }: FailureView): string {
  const blocks = errors.map(({ file, code, line, column, message }) => {
    const whole = join(path, file);
    const shown = shownPath(whole, cwd);
    const head = `  ${visible(shown)}:${line}:${column}  ${colors.yellow(code)}  ${visible(message)}\n`;
    return head + (code === "unreadable" ? "" : place(whole, { line, column }, width));
  });
  return `${blocks.join("")}\n  Nothing was loaded. A skill that is skipped in silence looks like one that was never written.\n`;
}

/** The line with a mark below the column; nothing where the file cannot be read any more. */
function place(file: string, { line, column }: { line: number; column: number }, width: number): string {
  let source: string | undefined;
  try {
    source = readFileSync(file, "utf8").split(/\r\n|\r|\n/)[line - 1];
  } catch {
    // The message above stands without it.
    return "";
  }
  if (source === undefined || source.trim() === "") return "";
  const number = String(line).padStart(6);
  const before = Array.from(source)
    .slice(0, column - 1)
    .join("");
  if (before.length > width - 12) return `${number} | ${visible(shortened(source, width - 10))}\n`;
  return `${number} | ${visible(shortened(source, width - 10))}\n${" ".repeat(6)} | ${" ".repeat(visible(before).length)}^\n`;
}
