import type { Ephemeral, RunEvent } from "../agent/events.ts";
import { Claims, deadAfter } from "./claims.ts";
import { runSession } from "./runSession.ts";
import { SessionError } from "./session.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * Goes on with a session in this process: answers its open questions and yields what happens. Rejects with `SessionError`
 * `busy` while another process runs it.
 */
export async function* runHere(
  id: string,
  surroundings: Surroundings,
  signal: AbortSignal,
): AsyncGenerator<RunEvent | Ephemeral, void> {
  const { store, clock, owner } = surroundings;
  const claim = await store.claim(id, { name: owner, at: clock.now() }, { onlyIdleSince: clock.now() - deadAfter });
  if (!claim) {
    const row = await store.session(id);
    throw new SessionError("busy", `${row?.owner ?? "another process"} is running session ${id}`);
  }
  await using claims = new Claims(surroundings);
  await using held = claims.hold(claim);
  yield* runSession(claim, surroundings, { cancel: AbortSignal.any([signal, held.cancel]), leave: held.lost });
}
