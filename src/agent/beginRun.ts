import type { Window } from "./events.ts";
import type { Journal } from "./journal.ts";
import type { RunContext } from "./runContext.ts";

/** A log cannot be continued with what it was not begun with. */
class ResumeError extends Error {
  override readonly name = "ResumeError";
  readonly code = "prompt-changed";
}

/** The first events of a new run, or the mark of a resumed one. */
export function beginRun(journal: Journal, context: RunContext): void {
  const { prompt, question, window, clock, catalog, model } = context;
  const { started, ended } = journal.state;
  if (started) {
    if (started.prompt.digest !== prompt.digest) {
      throw new ResumeError(
        `the run was begun with system prompt ${started.prompt.digest}, but was given ${prompt.digest}`,
      );
    }
    if (!ended) return journal.add({ type: "notice", kind: "resumed", message: "the run was resumed" });
  }
  // One for the whole conversation: results of earlier runs stand in it too.
  const delimiter = started?.delimiter ?? clock.id().slice(0, 16);
  journal.add(
    {
      type: "run.started",
      run: clock.id(),
      ...(context.message === undefined ? {} : { message: context.message }),
      question,
      window,
      model: { id: model.id, window: model.window },
      catalog: { digest: catalog.digest, skills: catalog.skills.length, dropped: context.skillsDropped },
      prompt: { digest: prompt.digest, tokens: prompt.tokens },
      servers: context.servers,
      fingerprints: context.fingerprints,
      budget: context.budget,
      delimiter,
    },
    { type: "message.user", kind: "question", text: firstMessage(question, window, delimiter) },
  );
}

function firstMessage(question: string, { from, to, baselineFrom }: Window, delimiter: string): string {
  const utc = (time: number) => new Date(time).toISOString().replace(".000Z", "Z");
  return `${question}

Now: ${utc(to)}. Window under investigation: ${utc(from)} to ${utc(to)}. Baseline: ${utc(baselineFrom)} to ${utc(from)}.
Tool results of this run are delimited by <result-${delimiter} ...> and </result-${delimiter}>.`;
}
