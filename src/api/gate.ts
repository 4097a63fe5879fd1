import type { IncomingHttpHeaders } from "node:http";
import { Code } from "@connectrpc/connect";
import { hostOf, isLoopback } from "./hosts.ts";
import type { CheckToken } from "./tokens.ts";

/** Why a request is not let in. */
export interface Refusal {
  readonly code: Code;
  readonly message: string;
}

export interface GateOptions {
  /** Absent: no token is needed, and only loopback is served. */
  readonly checkToken?: CheckToken;
  /** Of pages elsewhere that may use the API, as `https://ops.example`. */
  readonly origins: readonly string[];
  /** Bytes. */
  readonly maxBody: number;
}

/** What is looked at before anything of a request is read. */
export type Gate = (headers: IncomingHttpHeaders & { ":authority"?: string | undefined }) => Refusal | undefined;

/**
 * Whose request is answered: one with a right token, from no page of a foreign origin, and, without tokens, addressed to
 * this machine by a name of its own, which keeps out pages that rebind theirs.
 */
export function gate({ checkToken, origins, maxBody }: GateOptions): Gate {
  const allowed = new Set(origins.map((origin) => URL.parse(origin)?.origin));
  return (headers) => {
    const host = headers[":authority"] ?? headers.host;
    const name = hostOf(host);
    if (!checkToken && (name === undefined || !isLoopback(name))) {
      return {
        code: Code.PermissionDenied,
        message: "without tokens only this machine is served: address it as 127.0.0.1",
      };
    }
    const { origin } = headers;
    if (origin !== undefined && URL.parse(origin)?.host !== host && !allowed.has(origin)) {
      return { code: Code.PermissionDenied, message: "pages of this origin may not use the API: see server.origins" };
    }
    const [, token] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    if (checkToken && (token === undefined || !checkToken(token))) {
      const message =
        token === undefined ? "a bearer token is needed" : "the bearer token is not one of those configured";
      return { code: Code.Unauthenticated, message };
    }
    if (Number(headers["content-length"] ?? 0) > maxBody) {
      return { code: Code.ResourceExhausted, message: `a request has at most ${maxBody} bytes` };
    }
    return undefined;
  };
}

/** The origin that an answer is for, where it is one that may read it. */
export function allowedOrigin(origin: string | undefined, origins: readonly string[]): string | undefined {
  return origins.find((known) => URL.parse(known)?.origin === origin);
}
