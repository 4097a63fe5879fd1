/** Orders texts by their UTF-8 bytes: the same on every machine and locale. */
export function byUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
