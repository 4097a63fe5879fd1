import { type FileHandle, open, rm } from "node:fs/promises";
import type { Redact } from "../redact/redact.ts";
import { RecordingError, type RecordingLine } from "./recordingFile.ts";

/** Writes a recording while a run goes on. */
export interface Recorder {
  /** Queues a line, redacted; lines are written in order. A failure shows at `close`. */
  add(line: Exclude<RecordingLine, { type: "recording" }>): void;
  /** Waits for all lines. Rejects with `RecordingError` when one could not be written: the recording is then not whole. */
  close(): Promise<void>;
  /** Ends and removes it: the run that it was begun for has not come about. Does not throw. */
  discard(): Promise<void>;
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
  const end = async () => {
    await written;
    await handle.close();
  };
  return {
    add(line) {
      const safe = redact(line);
      written = written.then(() => write(safe));
    },
    async close() {
      await end();
      if (failure)
        throw new RecordingError(`the recording ${file} is not whole: ${(failure as Error).message}`, {
          cause: failure,
        });
    },
    async discard() {
      await end();
      await rm(file, { force: true }).catch(() => {
        // A directory that changed under us: what is left is a file of a few lines.
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
