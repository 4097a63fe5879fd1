import type { Ephemeral, RunEvent, SessionCreated } from "../agent/events.ts";
import { estimateTokens } from "../model/estimateTokens.ts";
import type { DroppedSkill } from "../report/report.ts";
import { readCatalogText } from "../session/catalogText.ts";
import { runHere } from "../session/runHere.ts";
import { type CreateSession, SessionError } from "../session/session.ts";
import { storedSessions } from "../session/sessions.ts";
import { storedEvents } from "../session/storedLog.ts";
import type { Surroundings } from "../session/surroundings.ts";

/** What is known before the first question is asked. */
export type Progress =
  | {
      readonly type: "server";
      readonly name: string;
      readonly connected: boolean;
      readonly reason?: string;
      readonly tools: number;
      readonly connectMs: number;
    }
  | {
      readonly type: "skills";
      readonly loaded: number;
      readonly dropped: readonly DroppedSkill[];
      readonly digest: string;
      readonly promptTokens: number;
      /** The prompt takes a larger share of the model's window than the configuration finds right. */
      readonly large: boolean;
      /** Why a session that is pinned to a commit has none. */
      readonly noSkills?: string;
    };

/**
 * One question as a session of its own that this process runs: yields what happens, ends after `run.ended`. An abort of
 * `signal` ends in a report as well. Rejects with `SessionError`, `WorkspaceError` or `StoreError` before anything is asked.
 */
export async function* investigate(
  surroundings: Surroundings,
  request: Omit<CreateSession, "queued">,
  signal: AbortSignal,
): AsyncGenerator<RunEvent | Ephemeral | Progress, void> {
  const { registry } = surroundings;
  for (const { name, state, reason, tools, connectMs } of registry.states()) {
    const connected = state === "connected";
    yield { type: "server", name, connected, tools, connectMs, ...(reason === undefined ? {} : { reason }) };
  }
  const { id } = await storedSessions(surroundings).create({ ...request, queued: false }, signal);
  yield* await beginning(id, surroundings);
  yield* runHere(id, surroundings, signal);
}

/** The session's first event, and what its prompt is made of. */
async function beginning(id: string, { store, config }: Surroundings): Promise<readonly (RunEvent | Progress)[]> {
  for await (const event of storedEvents(store, id, 0)) {
    if (event.type !== "session.created") break;
    return [event, await skillsOf(event, { store, config })];
  }
  throw new SessionError("damaged", `session ${id} has no first event`);
}

async function skillsOf(
  { inputs }: SessionCreated,
  { store, config }: Pick<Surroundings, "store" | "config">,
): Promise<Progress> {
  const [catalog = "[]", prompt = ""] = await Promise.all([store.text(inputs.catalog), store.text(inputs.prompt)]);
  const promptTokens = estimateTokens(prompt);
  return {
    type: "skills",
    loaded: readCatalogText(catalog).skills.length,
    dropped: inputs.dropped,
    digest: inputs.catalog,
    promptTokens,
    large: promptTokens > config.skills.warnShare * inputs.model.window,
    ...(inputs.noSkills === null ? {} : { noSkills: inputs.noSkills }),
  };
}
