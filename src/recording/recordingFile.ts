import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { z } from "zod";
import { isTooDeep, type JsonObject } from "../json/json.ts";
import type { ToolDefinition } from "../mcp/connection.ts";
import type { ToolResult } from "../result/toolResult.ts";

/** One line of a recording: JSON Lines, the header first. Everything in it has been redacted. */
export type RecordingLine = RecordingHeader | RecordedListing | RecordedAbsence | RecordedCall;

interface RecordingHeader {
  readonly type: "recording";
  readonly v: 1;
  /** What the recorded run took as now, ms since the Unix epoch: a replay takes it again. */
  readonly recordedAt: number;
}

export interface RecordedListing {
  readonly type: "listing";
  readonly server: string;
  readonly tools: readonly ToolDefinition[];
}

/** A server that was configured and not connected. */
export interface RecordedAbsence {
  readonly type: "not-connected";
  readonly server: string;
  readonly reason: string;
}

export interface RecordedCall {
  readonly type: "call";
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly outcome: "ok" | "error" | "timeout" | "unknown";
  readonly reached: boolean;
  readonly result: ToolResult;
}

export interface Recording {
  readonly file: string;
  readonly recordedAt: number;
  readonly listings: readonly RecordedListing[];
  readonly absences: readonly RecordedAbsence[];
  /** In the order in which they were answered. */
  readonly calls: readonly RecordedCall[];
}

/** A recording that cannot be read; the message names file and line. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
  readonly code = "invalid-recording";
}

/** The end of the year 9999: what dates can be made of, and windows around them, ms since the Unix epoch. */
const latest = 253_402_300_799_999;

const object = z.record(z.string(), z.json());
const lineSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("recording"), v: z.literal(1), recordedAt: z.number().min(0).max(latest) }),
  z.object({
    type: z.literal("listing"),
    server: z.string(),
    tools: z.array(
      z.looseObject({ name: z.string(), description: z.string(), inputSchema: object, annotations: object }),
    ),
  }),
  z.object({ type: z.literal("not-connected"), server: z.string(), reason: z.string() }),
  z.object({
    type: z.literal("call"),
    server: z.string(),
    tool: z.string(),
    arguments: object,
    outcome: z.enum(["ok", "error", "timeout", "unknown"]),
    reached: z.boolean(),
    result: z.object({ content: z.array(object), structuredContent: z.json().optional(), isError: z.boolean() }),
  }),
]);

/** Reads a whole recording. A line that is no part of one is an error: a cut file would answer less than was asked. */
export async function readRecording(file: string): Promise<Recording> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new RecordingError(`the recording ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return parseRecording(text, file);
}

function parseRecording(text: string, file: string): Recording {
  const lines = text
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [parseLine(line, `${basename(file)}:${index + 1}`)]));
  const [header, ...rest] = lines;
  if (header?.type !== "recording")
    throw new RecordingError(`${file} is no recording: its first line must be {"type":"recording","v":1,...}`);
  return {
    file,
    recordedAt: header.recordedAt,
    listings: rest.filter((line) => line.type === "listing"),
    absences: rest.filter((line) => line.type === "not-connected"),
    calls: rest.filter((line) => line.type === "call"),
  };
}

function parseLine(line: string, place: string): RecordingLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new RecordingError(`${place} is not JSON (was the recording cut off?): ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (isTooDeep(value)) throw new RecordingError(`${place} is nested too deep to be read`);
  const { success, error } = lineSchema.safeParse(value);
  if (!success) throw new RecordingError(`${place} is no line of a recording: ${z.prettifyError(error)}`);
  // Not what was parsed: that has lost keys such as __proto__, and the call would be another one.
  return value as RecordingLine;
}
