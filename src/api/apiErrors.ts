import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import { ModelConfigError } from "../model/createModel.ts";
import { SessionError, type SessionErrorCode } from "../session/session.ts";
import { StoreError, type StoreErrorCode } from "../store/store.ts";
import { WorkspaceError, type WorkspaceErrorCode } from "../workspace/workspace.ts";

/** Name of the error's own code, in the metadata of an answer. */
export const reasonHeader = "korvus-reason";

const ofSessions: Readonly<Record<SessionErrorCode, Code>> = {
  "not-found": Code.NotFound,
  ambiguous: Code.InvalidArgument,
  "key-reused": Code.AlreadyExists,
  invalid: Code.InvalidArgument,
  busy: Code.FailedPrecondition,
  damaged: Code.DataLoss,
};
const ofWorkspaces: Readonly<Record<WorkspaceErrorCode, Code>> = {
  "unknown-workspace": Code.NotFound,
  "unknown-ref": Code.NotFound,
  "commit-gone": Code.FailedPrecondition,
  unreachable: Code.Unavailable,
  "no-git": Code.FailedPrecondition,
  "no-directory": Code.FailedPrecondition,
};
const ofStores: Readonly<Record<StoreErrorCode, Code>> = {
  fenced: Code.Aborted,
  sequence: Code.Aborted,
  "not-found": Code.NotFound,
  unavailable: Code.Unavailable,
  "too-new": Code.FailedPrecondition,
  "wrong-cursor": Code.InvalidArgument,
  "too-large": Code.ResourceExhausted,
};

/** The one place where errors become answers: what is meant for clients keeps its words, anything else only a number to ask for. */
export function errorInterceptor({ log, clock }: { readonly log: Log; readonly clock: Clock }): Interceptor {
  const translate = (error: unknown, method: string): ConnectError => {
    const known = toConnectError(error);
    if (known) return known;
    const id = clock.id().slice(0, 12);
    log.error({ method, id, error: (error as Error)?.stack ?? String(error) }, "an API request failed");
    return new ConnectError(`internal error ${id}: the server's log says more`, Code.Internal);
  };
  return (next) => async (request) => {
    const { name } = request.method;
    try {
      const response = await next(request);
      if (!response.stream) return response;
      return { ...response, message: translated(response.message, (error) => translate(error, name)) };
    } catch (error) {
      throw translate(error, name);
    }
  };
}

async function* translated<T>(messages: AsyncIterable<T>, translate: (error: unknown) => Error): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw translate(error);
  }
}

/** Undefined for what no client is to hear of. */
function toConnectError(error: unknown): ConnectError | undefined {
  if (error instanceof ConnectError) return error;
  const answer = (code: Code, { message, code: reason }: { message: string; code: string }) =>
    new ConnectError(message, code, { [reasonHeader]: reason });
  if (error instanceof SessionError) return answer(ofSessions[error.code], error);
  if (error instanceof WorkspaceError) return answer(ofWorkspaces[error.code], error);
  if (error instanceof StoreError) {
    // Where the store is, and why it does not answer, is the operator's business.
    const message = error.code === "unavailable" ? "the session store is not available" : error.message;
    return answer(ofStores[error.code], { message, code: error.code });
  }
  if (error instanceof ModelConfigError) return answer(Code.FailedPrecondition, error);
  return undefined;
}
