import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { StepInput } from "../../src/model/model.ts";
import type { ScriptedAnswer } from "../../src/model/scriptedModel.ts";
import { runSession } from "../../src/session/runSession.ts";
import { storedSessions } from "../../src/session/sessions.ts";
import type { openStore } from "../../src/store/openStore.ts";
import { reportCall } from "../kit/probeRun.ts";
import { sessionGrounds } from "../kit/sessionGrounds.ts";

/**
 * A session as a process that can be killed anywhere: `node crashingRun.ts DIRECTORY DATABASE [SESSION] [PAUSE]`. Makes a
 * session, or goes on with SESSION, and prints `event N TYPE` for each event it sees; after event number PAUSE it waits for
 * ever. What the model was asked stands in DIRECTORY/asked.jsonl, what the server did in DIRECTORY/calls.jsonl.
 */
const [, , directory = "", database = "", given = "", pause = ""] = process.argv;

const answers: readonly ScriptedAnswer[] = [
  { calls: [{ name: "probe_echo", arguments: { text: "one" } }, { name: "probe_fail" }] },
  {
    calls: [
      { name: "probe_write_slowly", arguments: { ms: 100 } },
      { name: "read_result", arguments: { call: 1 } },
    ],
  },
  { calls: [reportCall("likely", [1, "probe"])] },
];
const steps = ({ messages }: StepInput): ScriptedAnswer => {
  const step = messages.filter(({ role }) => role === "assistant").length;
  appendFileSync(join(directory, "asked.jsonl"), `${step}\n`);
  return answers[step] ?? { failed: "invalid-request" };
};
const address = JSON.parse(database) as Parameters<typeof openStore>[0];

await using grounds = await sessionGrounds({ steps, directory, database: address });
const { surroundings } = grounds;
const never = new AbortController().signal;
const id =
  given === "" ? (await storedSessions(surroundings).create({ question: "why?", queued: false }, never)).id : given;
console.log(`session ${id}`);
if (pause === "1") await new Promise(() => undefined);
const claim = await surroundings.store.claim(id, { name: `p${process.pid}`, at: Date.now() });
if (!claim) throw new Error("no such session");
for await (const event of runSession(claim, surroundings, { cancel: never, leave: never })) {
  if (event.type === "delta") continue;
  console.log(`event ${event.seq} ${event.type}`);
  if (Number(pause) > 0 && event.seq >= Number(pause)) {
    console.log("paused");
    await new Promise(() => setInterval(() => undefined, 1_000));
  }
}
console.log("done");
