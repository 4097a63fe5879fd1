import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import pc from "picocolors";
import { expect, test } from "vitest";
import { tempDir } from "../../test/kit/tempDir.ts";
import { RecordingError } from "../recording/recordingFile.ts";
import { renderFailure } from "./renderFailure.ts";

const view = { colors: pc.createColors(false), cwd: "/", width: 80, debug: false };

test("what the system refuses is said in its words, and is no fault of Korvus", async () => {
  await using dir = await tempDir({ file: "" });
  const path = join(dir.path, "file", "below");
  const error: unknown = await mkdir(path).catch((caught: unknown) => caught);

  expect(renderFailure(error, view)).toBe(`error  ENOTDIR: not a directory, mkdir '${path}'\n`);
});

test("what goes wrong while a failure is cleaned up is told after it, not instead of it", () => {
  const error = new SuppressedError(new RecordingError("the recording is not whole"), new Error("a surprise"));

  expect(renderFailure(error, view)).toBe(
    "error  unexpected: a surprise\n       This is a fault of Korvus. --log-level debug shows where it happened.\n" +
      "error  the recording is not whole\n",
  );
});
