import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/kit/tempDir.ts";
import { redactor } from "../redact/redact.ts";
import { textResult } from "../result/toolResult.ts";
import { createRecorder } from "./recorder.ts";
import { readRecording } from "./recordingFile.ts";
import { recordingObserver } from "./recordingObserver.ts";

test("a secret that is a word of the file's own, or a server's name, leaves the recording readable", async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "incident.jsonl");
  const redact = redactor(["timeout", "loki", "call"].map((value) => ({ name: value.toUpperCase(), value })));
  const recorder = await createRecorder(file, { recordedAt: 0 });

  recordingObserver(recorder).call("loki", "query", redact({ q: "loki" }), {
    outcome: "timeout",
    result: redact(textResult("timeout of a call", true)),
    reached: true,
    retried: false,
    ms: 1,
  });
  recorder.add({ type: "not-connected", server: "loki", reason: redact("loki is down") });
  await recorder.close();

  const { calls, absences } = await readRecording(file);
  const result = textResult("[redacted:TIMEOUT] of a [redacted:CALL]", true);
  expect(calls).toMatchObject([{ server: "loki", outcome: "timeout", arguments: { q: "[redacted:LOKI]" }, result }]);
  expect(absences).toEqual([{ type: "not-connected", server: "loki", reason: "[redacted:LOKI] is down" }]);
});
