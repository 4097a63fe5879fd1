import type { Ephemeral, RunEvent, SessionCreated } from "../agent/events.ts";
import { runLoop } from "../agent/loop.ts";
import { rulesPolicy } from "../agent/policy.ts";
import type { Claim } from "../store/store.ts";
import type { ScratchTree } from "../workspace/workspace.ts";
import { noServerModel } from "./noServerModel.ts";
import { runbookFor } from "./runbookFor.ts";
import { type QuestionMessage, SessionError } from "./session.ts";
import { callerOf } from "./sessionTools.ts";
import { storedEvents, storedLog } from "./storedLog.ts";
import { storedResults } from "./storedResults.ts";
import type { Surroundings } from "./surroundings.ts";

export interface RunSignals {
  /** Ends the run with a report of what is known. */
  readonly cancel: AbortSignal;
  /** Leaves the session as it is, for another process to go on. */
  readonly leave: AbortSignal;
}

/**
 * Answers the open questions of a claimed session, one after the other, and yields what happens. Catalog, prompt, tools and
 * connected servers are those that were stored when it was made, whatever is there now. Ends early, without harm to the
 * session, when `leave` aborts; rejects with `StoreError` `fenced` when another has claimed it, and with `SessionError`
 * `damaged` when what is stored is not what it says it is.
 */
export async function* runSession(
  claim: Claim,
  surroundings: Surroundings,
  { cancel, leave }: RunSignals,
): AsyncGenerator<RunEvent | Ephemeral, void> {
  const { store } = surroundings;
  const { created, answered, events } = await readSession(claim, surroundings);
  const stored = await surroundings.texts.get(created.inputs);
  const opened = await surroundings.models.open(created.inputs.model);
  const tools = stored.offered(opened?.model.window);
  await using tree = lazyTree(created, surroundings);
  const results = storedResults(store, claim.session);
  const context = {
    prompt: stored.prompt,
    catalog: stored.catalog,
    skillsDropped: created.inputs.dropped,
    servers: created.inputs.servers,
    fingerprints: created.inputs.fingerprints,
    tools,
    callServer: callerOf(surroundings, created.inputs.workspace ? tree.get : undefined),
    policy: rulesPolicy(surroundings.config.policy),
    results,
    limits: surroundings.limits,
    budget: created.inputs.budget,
    ...(opened?.price ? { price: opened.price } : {}),
    log: storedLog(store, claim, { answered, events, results }),
    leave,
    clock: surroundings.clock,
  };

  while (!leave.aborted) {
    const next = (await store.messages(claim.session)).find(({ id }) => !answered.has(id));
    if (!next) return;
    const { question, window } = JSON.parse(next.body) as QuestionMessage;
    const model =
      created.inputs.connected.length === 0
        ? noServerModel()
        : (opened?.model ??
          runbookFor(
            { ...stored, window, offered: tools, set: created.inputs.set, now: surroundings.now() },
            surroundings.config,
          ));
    for await (const event of runLoop({ ...context, model, question, window, message: next.id }, cancel)) {
      if (event.type === "run.ended") answered.add(next.id);
      yield event;
    }
  }
}

/** The session's first event, and the messages whose runs have ended. */
async function readSession({ session }: Claim, { store }: Surroundings) {
  const answered = new Set<string>();
  let created: SessionCreated | undefined;
  let message: string | undefined;
  const events = await Array.fromAsync(storedEvents(store, session, 0));
  for (const event of events) {
    if (event.type === "session.created") created = event;
    if (event.type === "run.started") message = event.message;
    if (event.type === "run.ended" && message !== undefined) answered.add(message);
  }
  if (!created) throw new SessionError("damaged", `session ${session} has no first event`);
  return { created, answered, events };
}

/** The session's files, seeded when they are first asked for: many sessions never do. */
function lazyTree({ inputs: { workspace } }: SessionCreated, { workspaces }: Surroundings) {
  let tree: Promise<ScratchTree> | undefined;
  return {
    get: async (signal: AbortSignal): Promise<ScratchTree> => {
      if (!workspace) throw new SessionError("invalid", "the session is pinned to no commit");
      tree ??= workspaces.seed(workspace.name, workspace.commit, signal);
      try {
        return await tree;
      } catch (error) {
        // The next call may fare better.
        tree = undefined;
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      const seeded = await tree?.catch(() => undefined);
      await seeded?.[Symbol.asyncDispose]();
    },
  };
}
