import { grouped, visible, width } from "./text.ts";

/**
 * Rows under their headings, columns as wide as they need to be, numbers on the right. The last column is never padded.
 * Cells are shown on one line with control characters made visible.
 */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "number" ? grouped(cell) : visible(cell))));
  const rightAligned = headings.map(
    (_, column) =>
      rows.some((row) => typeof row[column] === "number") &&
      rows.every((row) => typeof row[column] === "number" || row[column] === "-"),
  );
  const widths = headings.map((heading, column) =>
    Math.max(width(heading), ...cells.map((row) => width(row[column] ?? ""))),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const padding = " ".repeat((widths[column] ?? 0) - width(cell));
        return rightAligned[column] ? padding + cell : cell + padding;
      })
      .join("  ")
      .trimEnd();
  return [line(headings), ...cells.map(line)].map((text) => `  ${text}\n`).join("");
}
