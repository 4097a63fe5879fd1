export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
}

/** The same numbers for the same seed (mulberry32); `name` gives each part of one bed a sequence of its own. */
export function seededRandom(seed: number, name: string): Random {
  let state = Buffer.from(name).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), seed | 0);
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    next,
    hex: (digits) => Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join(""),
  };
}
