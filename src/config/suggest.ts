/** The known word that `word` was probably meant to be: at most a third of its letters away. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const distances = known.map((candidate) => ({ candidate, distance: editDistance(word, candidate) }));
  const [nearest] = distances.sort((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= Math.max(1, Math.floor(word.length / 3)) ? nearest.candidate : undefined;
}

/** Levenshtein's, with case and the difference of `-` and `_` for free. Words of a key's length only. */
function editDistance(word: string, candidate: string): number {
  const [a, b] = [word, candidate].map((text) => text.toLowerCase().replaceAll("-", "_")) as [string, string];
  if (Math.abs(a.length - b.length) > b.length) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of a.split("").entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split("").entries()) {
      const replaced = (row[j] as number) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
