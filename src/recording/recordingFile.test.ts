import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/kit/tempDir.ts";
import { readRecording } from "./recordingFile.ts";

const header = '{"type":"recording","v":1,"recordedAt":1700000000000}';
const call = (args: string) =>
  `{"type":"call","server":"s","tool":"t","arguments":${args},"outcome":"ok","reached":true,"result":{"content":[],"isError":false}}`;

async function read(...lines: readonly string[]) {
  await using dir = await tempDir({ "r.jsonl": lines.join("\n") });
  return await readRecording(join(dir.path, "r.jsonl"));
}

test("a call keeps every key of its arguments", async () => {
  const { calls } = await read(header, call('{"__proto__":{"a":1},"constructor":2}'));

  expect(JSON.stringify(calls[0]?.arguments)).toBe('{"__proto__":{"a":1},"constructor":2}');
});

test.each([
  [
    "nested without end",
    header,
    call(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
    /r\.jsonl:2 is nested too/,
  ],
  ["of no time", header.replace("1700000000000", "1e300"), call("{}"), /r\.jsonl:1 is no line .*recordedAt/s],
])("a recording %s is refused with its line", async (_, first, second, message) => {
  await expect(read(first, second)).rejects.toThrow(message);
});
