import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { memoryEventLog } from "../../src/agent/eventLog.ts";
import type { RunEvent } from "../../src/agent/events.ts";
import { runLoop } from "../../src/agent/loop.ts";
import { rulesPolicy } from "../../src/agent/policy.ts";
import type { StepInput } from "../../src/model/model.ts";
import type { ScriptedAnswer } from "../../src/model/scriptedModel.ts";
import { probeRun, reportCall } from "./probeRun.ts";

/**
 * One scripted run over the probe server that can be stopped after any event and taken up again, by this process or by
 * another: `node resumeScript.ts DIRECTORY` goes on from DIRECTORY/events.json. What the model was asked stands in
 * DIRECTORY/asked.jsonl.
 */
const answers: readonly ScriptedAnswer[] = [
  {
    text: "Looking.",
    calls: [{ name: "probe_echo", arguments: { text: "one" } }, { name: "probe_fail" }, { name: "probe_invented" }],
  },
  {
    calls: [
      { name: "probe_write", arguments: { value: "two" } },
      { name: "read_result", arguments: { call: 1 } },
    ],
  },
  { calls: [{ name: "report", arguments: { summary: 1 } }] },
  { calls: [reportCall("confirmed", [1, "probe"], [4, "probe"], [9, "probe"])] },
];

/** Runs until the end, or until `stopAfter` events are in the log; gives the log as it is then. */
export async function resumableRun(
  directory: string,
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<readonly RunEvent[]> {
  await using probe = await probeRun({ directory });
  const kept = join(directory, "events.json");
  const log = memoryEventLog(existsSync(kept) ? (JSON.parse(readFileSync(kept, "utf8")) as RunEvent[]) : []);
  const ask = ({ messages }: StepInput): ScriptedAnswer => {
    const step = messages.filter(({ role }) => role === "assistant").length;
    appendFileSync(join(directory, "asked.jsonl"), `${step}\n`);
    return answers[step] ?? { failed: "invalid-request" };
  };
  const policy = rulesPolicy({ allow: ["probe.write"], ask: [], deny: [] });
  for await (const event of runLoop(probe.context(ask, { log, policy }), new AbortController().signal)) {
    if (event.type !== "delta" && event.seq >= stopAfter) break;
  }
  return log.events;
}

const [, program, directory] = process.argv;
if (program === import.meta.filename && directory !== undefined) {
  console.log(JSON.stringify(await resumableRun(directory)));
}
