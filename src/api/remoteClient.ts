import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { SessionError, type SessionErrorCode } from "../session/session.ts";
import { StoreError, type StoreErrorCode } from "../store/store.ts";
import { WorkspaceError, type WorkspaceErrorCode } from "../workspace/workspace.ts";
import { reasonHeader } from "./apiErrors.ts";

export interface RemoteOptions {
  /** `http://127.0.0.1:7700` */
  readonly url: string;
  readonly token?: string;
}

/** The server cannot be asked, or did not understand; the message says what to do. */
class ApiClientError extends Error {
  override readonly name = "ApiClientError";
  readonly code: "unreachable" | "unauthenticated" | "refused";

  constructor(code: ApiClientError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A connection to a Korvus server, opened when it is first used. */
export function remoteTransport({ url, token }: RemoteOptions): Transport {
  return createConnectTransport({
    baseUrl: url,
    httpVersion: "1.1",
    interceptors:
      token === undefined
        ? []
        : [
            (next) => (request) => {
              request.header.set("authorization", `Bearer ${token}`);
              return next(request);
            },
          ],
  });
}

const ofSessions: readonly SessionErrorCode[] = ["not-found", "ambiguous", "key-reused", "invalid", "busy", "damaged"];
const ofWorkspaces: readonly WorkspaceErrorCode[] = [
  ...(["unknown-workspace", "unknown-ref", "commit-gone", "unreachable", "no-git", "no-directory"] as const),
];
const ofStores: readonly StoreErrorCode[] = ["unavailable", "wrong-cursor", "too-large"];

/** The error as it was on the server, where it tells; else what became of the connection. */
export function fromRemote(error: unknown, { url }: RemoteOptions): unknown {
  if (!(error instanceof ConnectError)) return error;
  const { rawMessage: message, code, cause } = error;
  const reason = error.metadata.get(reasonHeader);
  const session = ofSessions.find((known) => known === reason);
  if (session) return new SessionError(session, message, { cause: error });
  const workspace = ofWorkspaces.find((known) => known === reason);
  if (workspace) return new WorkspaceError(workspace, message, { cause: error });
  const store = ofStores.find((known) => known === reason);
  if (store) return new StoreError(store, message, { cause: error });
  if (code === Code.Unauthenticated) {
    const cure = "KORVUS_TOKEN holds the token, or the variable that --token-env names";
    return new ApiClientError("unauthenticated", `${url}: ${message}\n${cure}`, { cause: error });
  }
  if (isOutage(error)) {
    const why = (cause as Error | undefined)?.message ?? message;
    return new ApiClientError("unreachable", `${url} cannot be reached: ${why}\nis korvus serve running there?`, {
      cause: error,
    });
  }
  return new ApiClientError("refused", `${url}: ${message}`, { cause: error });
}

/** The connection broke, or the server is away or stopping: the same may succeed later. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  if (error.code === Code.Unavailable || error.code === Code.Aborted) return true;
  // Cut in the middle, or answered by something that is no Korvus.
  return error.code === Code.Unknown && error.cause !== undefined;
}
