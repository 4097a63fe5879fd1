import type { Page, PageRange } from "./results.ts";

/** The page of `text` that starts at `offset`; it ends early rather than inside a surrogate pair, so pages join without loss. */
export function cutPage(text: string, { offset, limit }: PageRange): Page {
  const start = Math.min(Math.max(0, offset), text.length);
  let end = Math.min(start + Math.max(2, limit), text.length);
  if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
  const page = { text: text.slice(start, end), offset: start, total: text.length };
  return end < text.length ? { ...page, next: end } : page;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
