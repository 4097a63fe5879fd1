import { createHash } from "node:crypto";
import { toStored } from "./storedText.ts";

/** Texts as they are stored, by the SHA-256 (hex) of their UTF-8 bytes. Throws `too-large`. */
export function byDigest(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(texts.map((text) => [createHash("sha256").update(text).digest("hex"), toStored(text)]));
}
