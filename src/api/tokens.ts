import { createHash, timingSafeEqual } from "node:crypto";

/** Tells whether a bearer token is one of those that are configured. */
export type CheckToken = (token: string) => boolean;

const written = "sha256:";

/**
 * Of tokens, or `sha256:` and their hex digests, only digests are kept. Every one is compared, in the same time whatever
 * the token: a wrong one tells nothing.
 */
export function tokenCheck(tokens: readonly string[]): CheckToken {
  const digests = tokens.map((token) =>
    token.startsWith(written) ? Buffer.from(token.slice(written.length), "hex") : digestOf(token),
  );
  return (token) => {
    const given = digestOf(token);
    let found = false;
    for (const digest of digests) found = timingSafeEqual(digest, given) || found;
    return found;
  };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
