import { createHash } from "node:crypto";
import type { RunEvent } from "../agent/events.ts";
import { isJsonObject, type JsonObject } from "../json/json.ts";
import type { SessionFacts } from "../store/store.ts";
import { SessionError } from "./session.ts";
import type { SessionBundle } from "./sessionBundle.ts";

/** Format of the lines, to be raised when they change. */
const format = 1;

/**
 * A session as JSONL: a line that says what it is, a line for each text, message, event and result, and one that closes it
 * with a digest of all before, so that a file that was cut or changed can be told.
 */
export function* exportLines({ facts, texts, messages, events, results }: SessionBundle): Generator<string> {
  const hash = createHash("sha256");
  const line = (value: object) => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    return text;
  };
  yield line({ type: "korvus-session", v: format, session: facts });
  for (const [digest, text] of texts) yield line({ type: "text", digest, text });
  for (const { id, at, body } of messages) yield line({ type: "message", id, at, body: JSON.parse(body) as unknown });
  for (const event of events) yield line({ type: "event", event });
  for (const { call, body } of results) yield line({ type: "result", call, result: JSON.parse(body) as unknown });
  yield `${JSON.stringify({ type: "end", sha256: hash.digest("hex") })}\n`;
}

export interface ReadExport {
  readonly bundle: SessionBundle;
  /** What is wrong with the file as a whole, in a sentence; absent where its closing digest holds. */
  readonly fault?: string;
}

/** Reads an export. Throws `SessionError` `damaged`, with the line, for what is none. */
export function readExport(text: string): ReadExport {
  const hash = createHash("sha256");
  const texts = new Map<string, string>();
  const messages: SessionBundle["messages"][number][] = [];
  const events: RunEvent[] = [];
  const results: SessionBundle["results"][number][] = [];
  let facts: SessionFacts | undefined;
  let closing: string | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const row = parseLine(line, index + 1);
    if (row["type"] === "end") {
      closing = row["sha256"] === hash.digest("hex") ? "whole" : "changed";
      break;
    }
    hash.update(`${line}\n`);
    if (row["type"] === "korvus-session") facts = factsOf(row, index + 1);
    else if (row["type"] === "text") texts.set(textOf(row, "digest", index + 1), textOf(row, "text", index + 1));
    else if (row["type"] === "message")
      messages.push({ id: textOf(row, "id", index + 1), at: Number(row["at"]), body: JSON.stringify(row["body"]) });
    else if (row["type"] === "event") events.push(row["event"] as unknown as RunEvent);
    else if (row["type"] === "result") results.push({ call: Number(row["call"]), body: JSON.stringify(row["result"]) });
    else
      throw new SessionError("damaged", `line ${index + 1}: no line of an export: type ${JSON.stringify(row["type"])}`);
  }
  if (!facts) throw new SessionError("damaged", "line 1: this is no export of a session: see korvus sessions export");
  const bundle = { facts, texts, messages, events, results };
  if (closing === "whole") return { bundle };
  const fault =
    closing === undefined
      ? "the export ends before its closing line: it was cut"
      : "the export was changed after it was written";
  return { bundle, fault };
}

function factsOf(row: JsonObject, line: number): SessionFacts {
  if (row["v"] !== format)
    throw new SessionError(
      "damaged",
      `line ${line}: an export of format ${JSON.stringify(row["v"])}; this Korvus reads ${format}`,
    );
  return row["session"] as unknown as SessionFacts;
}

function textOf(row: JsonObject, key: string, line: number): string {
  const value = row[key];
  if (typeof value === "string") return value;
  throw new SessionError("damaged", `line ${line}: ${key} is no text`);
}

function parseLine(line: string, number: number): JsonObject {
  try {
    const row: unknown = JSON.parse(line);
    if (isJsonObject(row)) return row;
  } catch {
    // Said below.
  }
  throw new SessionError("damaged", `line ${number}: no JSON object`);
}
