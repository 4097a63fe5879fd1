import { type FileHandle, open, rm } from "node:fs/promises";
import type { Redacted } from "../redact/redact.ts";
import {
  type RecordedAbsence,
  type RecordedCall,
  type RecordedListing,
  RecordingError,
  type RecordingLine,
} from "./recordingFile.ts";

/** What servers said has been redacted. The line around it is ours: redacting that too could make it unreadable. */
type RedactedLine =
  | RedactedFields<RecordedListing, "tools">
  | RedactedFields<RecordedAbsence, "reason">
  | RedactedFields<RecordedCall, "arguments" | "result">;
type RedactedFields<Line, Key extends keyof Line> = Omit<Line, Key> & {
  readonly [K in Key]: Line[K] extends readonly (infer Item)[] ? readonly Redacted<Item>[] : Redacted<Line[K]>;
};

/** Writes a recording while a run goes on. */
export interface Recorder {
  /** Queues a line; lines are written in order. A failure shows at `close`. */
  add(line: RedactedLine): void;
  /** Waits for all lines. Rejects with `RecordingError` when one could not be written: the recording is then not whole. */
  close(): Promise<void>;
  /** Ends and removes it: the run that it was begun for has not come about. Does not throw. */
  discard(): Promise<void>;
}

/**
 * Starts a recording in a new file that only its owner can read. A file that exists is never overwritten: it may be the
 * only trace of an incident. `recordedAt` is what the run takes as now, ms.
 */
export async function createRecorder(file: string, { recordedAt }: { readonly recordedAt: number }): Promise<Recorder> {
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
      written = written.then(() => write(line));
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
