import { type FileHandle, open } from "node:fs/promises";
import type { Redact } from "../redact/redact.ts";
import { RecordingError, type RecordingLine } from "./recordingFile.ts";

/** Writes a recording while a run goes on. */
export interface Recorder {
  /** Queues a line, redacted; lines are written in order. A failure shows at `close`. */
  add(line: Exclude<RecordingLine, { type: "recording" }>): void;
  /** Waits for all lines. Rejects with `RecordingError` when one could not be written: the recording is then not whole. */
  close(): Promise<void>;
}

/**
 * Starts a recording in a new file that only its owner can read. A file that exists is never overwritten: it may be the
 * only trace of an incident. `recordedAt` is what the run takes as now, ms.
 */
export async function createRecorder(
  file: string,
  { recordedAt, redact }: { readonly recordedAt: number; readonly redact: Redact },
): Promise<Recorder> {
  const handle = await create(file);
  let failure: unknown;
  const write = async (line: RecordingLine) => {
    try {
      await handle.appendFile(`${JSON.stringify(line)}\n`);
    } catch (error) {
      failure ??= error;
    }
  };

  let written = write({ type: "recording", v: 1, recordedAt });
  return {
    add(line) {
      const safe = redact(line);
      written = written.then(() => write(safe));
    },
    async close() {
      await written;
      await handle.close();
      if (failure)
        throw new RecordingError(`the recording ${file} is not whole: ${(failure as Error).message}`, {
          cause: failure,
        });
    },
  };
}

async function create(file: string): Promise<FileHandle> {
  try {
    return await open(file, "ax", 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === "EEXIST" ? "the file exists, and a recording is never overwritten: give another name" : message;
    throw new RecordingError(`cannot record to ${file}: ${why}`, { cause: error });
  }
}
