import { createHash } from "node:crypto";
import { type Dirent, readFile } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Log } from "../log/log.ts";
import { parse, type Skill, SkillError, type SkillErrorCode } from "./skill.ts";

/** The skills of one directory that a session runs with. Deeply frozen: it never changes while a session runs. */
export interface Catalog {
  /** By file name, compared as UTF-8 bytes: the same order on every machine and locale. */
  readonly skills: readonly Skill[];
  /** Skills whose server is not connected, in the same order. */
  readonly dropped: readonly { readonly name: string; readonly mcpServer: string; readonly file: string }[];
  /** SHA-256, hex, over every field and body in order; paths and dropped skills do not count. */
  readonly digest: string;
}

/** One broken file; `file` as it is called in the directory. */
export interface BrokenFile {
  readonly file: string;
  readonly code: SkillErrorCode;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface Broken {
  readonly file: string;
  readonly error: SkillError;
}

/** No catalog, since a file is broken or the directory cannot be read. `code` and `file` are those of the first in path order. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  readonly code: SkillErrorCode;
  readonly file: string;
  /** The directory that files are named in; "" where it cannot be read itself. */
  readonly path: string;
  /** All of them, in path order; never empty. */
  readonly errors: readonly BrokenFile[];

  constructor(path: string, broken: readonly [Broken, ...Broken[]]) {
    const errors = broken.map(({ file, error: { code, line, column, message } }) => ({
      file,
      code,
      line,
      column,
      message,
    }));
    const lines = errors.map(
      ({ file, code, line, column, message }) => `${join(path, file)}:${line}:${column} ${code}: ${message}`,
    );
    super(lines.join("\n"), { cause: broken[0].error });
    this.code = broken[0].error.code;
    this.file = broken[0].file;
    this.path = path;
    this.errors = errors;
  }
}

/** A third of the time of `fs/promises`, which makes a handle object for each file. */
const readBytes = promisify(readFile);

/** Enough to keep the disk busy, too few to run out of file descriptors. */
const parallelReads = 32;

/**
 * The skills of every `*.md` in the directory `path`, less those whose `mcpServer` is not among `connectedServers`.
 * Everything is parsed before anything is filtered: one broken file fails the whole load (`CatalogError`), also where
 * its server is not connected. A missing directory is an empty catalog and a warning. Reads each file once, now: later
 * changes to files or connections change nothing.
 */
export async function load(path: string, connectedServers: Iterable<string>, log: Log): Promise<Catalog> {
  const connected = new Set(connectedServers);
  const parsed = parseAll(path, await readAll(path, await skillFiles(path, log)));
  const skills = parsed.filter(({ skill }) => skill.mcpServer === undefined || connected.has(skill.mcpServer));
  const dropped = parsed.flatMap(({ file, skill: { name, mcpServer } }) =>
    mcpServer === undefined || connected.has(mcpServer) ? [] : [Object.freeze({ name, mcpServer, file })],
  );

  for (const { name, mcpServer } of dropped) {
    log.info({ skill: name, server: mcpServer }, "skill dropped: its MCP server is not connected");
  }
  const fileOf = new Map<string, string>();
  for (const { file, skill } of skills) {
    const first = fileOf.get(skill.name);
    if (first === undefined) fileOf.set(skill.name, file);
    else log.warn({ skill: skill.name, files: [first, file] }, "two skills have the same name");
  }
  log.info({ path, skills: skills.length }, "skills loaded");
  return catalogOf(
    skills.map(({ skill }) => skill),
    dropped,
  );
}

function catalogOf(skills: readonly Skill[], dropped: Catalog["dropped"]): Catalog {
  // In pieces: the JSON of a large catalog at once can be longer than a string may be.
  const hash = createHash("sha256").update("[");
  for (const [index, { name, description, tags, mcpServer = null, body }] of skills.entries()) {
    hash.update((index === 0 ? "" : ",") + JSON.stringify([name, description, tags, mcpServer, body]));
  }
  const digest = hash.update("]").digest("hex");
  return Object.freeze({ skills: Object.freeze(skills), dropped: Object.freeze(dropped), digest });
}

/** Names are bytes here: that is the order asked for, and a name that is not UTF-8 can be opened all the same. */
async function skillFiles(path: string, log: Log): Promise<Dirent<Buffer>[]> {
  try {
    const entries = await readdir(path, { encoding: "buffer", withFileTypes: true });
    return entries
      .filter(({ name }) => name.subarray(-3).toString() === ".md")
      .sort((a, b) => Buffer.compare(a.name, b.name));
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw new CatalogError("", [{ file: path, error: unreadable(cause) }]);
    log.warn({ path }, "the skills directory does not exist");
    return [];
  }
}

/** All bytes before the first parse: reads and parses in turns take twice as long, as the reading threads fall asleep. */
async function readAll(path: string, entries: readonly Dirent<Buffer>[]): Promise<FileRead[]> {
  const reads: FileRead[] = [];
  const queue = entries.entries();
  const worker = async () => {
    for (const [index, entry] of queue) {
      const target = Buffer.concat([Buffer.from(`${path}/`), entry.name]);
      reads[index] = { file: entry.name.toString(), content: await readOne(target, entry).catch(unreadable) };
    }
  };
  await Promise.all(Array.from({ length: parallelReads }, worker));
  return reads;
}

interface FileRead {
  readonly file: string;
  readonly content: Uint8Array | SkillError;
}

/** Opening a pipe would wait for a writer, so what is not a file is never opened. */
async function readOne(path: Buffer, entry: Dirent<Buffer>): Promise<Uint8Array> {
  const isFile = entry.isSymbolicLink() ? (await stat(path)).isFile() : entry.isFile();
  if (!isFile) throw new Error("not a file");
  return await readBytes(path);
}

interface Parsed {
  readonly file: string;
  readonly skill: Skill;
}

function parseAll(path: string, reads: readonly FileRead[]): Parsed[] {
  const results = reads.map(parseOne);
  const [first, ...more] = results.filter((result) => "error" in result);
  if (first) throw new CatalogError(path, [first, ...more]);
  return results as Parsed[];
}

function parseOne({ file, content }: FileRead): Parsed | Broken {
  try {
    if (content instanceof SkillError) throw content;
    return { file, skill: parse(content) };
  } catch (error) {
    if (error instanceof SkillError) return { file, error };
    throw error;
  }
}

function unreadable(cause: unknown): SkillError {
  const reason = codeOf(cause) ?? (cause instanceof Error ? cause.message : String(cause));
  return new SkillError("unreadable", `cannot be read: ${reason}`, { cause });
}

function codeOf(cause: unknown): string | undefined {
  return (cause as NodeJS.ErrnoException).code;
}
