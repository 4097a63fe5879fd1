/** Where two texts part, for people: `line 12: "a" became "b"`. */
export function firstDifference(before: string, after: string): string {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const line = old.findIndex((text, index) => text !== fresh[index]);
  const at = line < 0 ? old.length : line;
  return `line ${at + 1}: ${quoted(old[at])} became ${quoted(fresh[at])}`;
}

const shown = 120;

function quoted(line: string | undefined): string {
  if (line === undefined) return "nothing";
  return JSON.stringify(line.length > shown ? `${line.slice(0, shown)}…` : line);
}
