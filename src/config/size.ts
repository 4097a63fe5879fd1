/** `64KiB`, `256MiB`, `1GiB`, `512B`: whole numbers of a binary unit. */
export const sizePattern = /^(\d{1,6})(B|KiB|MiB|GiB)$/;

const units: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Bytes of a text that matches `sizePattern`. */
export function parseSize(text: string): number {
  const [, amount = "", unit = ""] = sizePattern.exec(text) ?? [];
  return Number(amount) * (units[unit] ?? 1);
}
