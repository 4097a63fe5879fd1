import { createHash } from "node:crypto";
import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Log } from "../log/log.ts";
import { parse, type Skill, SkillError, type SkillErrorCode } from "./skill.ts";

/** The skills of one directory that a session runs with. Deeply frozen: it never changes while a session runs. */
export interface Catalog {
  /** By file name, compared as UTF-8 bytes: the same order on every machine and locale. */
  readonly skills: readonly Skill[];
  /** Skills whose server is not connected, in the same order. */
  readonly dropped: readonly { readonly name: string; readonly mcpServer: string; readonly file: string }[];
  /** SHA-256, hex, over every field and body in order; paths and dropped skills do not count. Made when first asked for. */
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

/**
 * Files read in one go, in about a millisecond, before others get a turn. Files this small are read three to ten times as
 * fast as with a thread pool, whose every read is three trips there and back.
 */
const slice = 64;

/**
 * The skills of every `*.md` in the directory `path`, less those whose `mcpServer` is not among `connectedServers`.
 * Everything is parsed before anything is filtered: one broken file fails the whole load (`CatalogError`), also where
 * its server is not connected. A missing directory is an empty catalog and a warning. Reads each file once, now: later
 * changes to files or connections change nothing.
 */
export async function load(path: string, connectedServers: Iterable<string>, log: Log): Promise<Catalog> {
  const connected = new Set(connectedServers);
  const parsed = await parseAll(path, skillFiles(path, log));
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
  let digest: string | undefined;
  return Object.freeze({
    skills: Object.freeze(skills),
    dropped: Object.freeze(dropped),
    // Takes as long as all the parsing, and not every reader asks for it.
    get digest() {
      digest ??= digestOf(skills);
      return digest;
    },
  });
}

function digestOf(skills: readonly Skill[]): string {
  // In pieces: the JSON of a large catalog at once can be longer than a string may be.
  const hash = createHash("sha256").update("[");
  for (const [index, { name, description, tags, mcpServer = null, body }] of skills.entries()) {
    hash.update((index === 0 ? "" : ",") + JSON.stringify([name, description, tags, mcpServer, body]));
  }
  return hash.update("]").digest("hex");
}

/** Names are bytes here: that is the order asked for, and a name that is not UTF-8 can be opened all the same. */
function skillFiles(path: string, log: Log): readonly Dirent<Buffer>[] {
  try {
    const entries = readdirSync(path, { encoding: "buffer", withFileTypes: true });
    return entries
      .filter(({ name }) => name.subarray(-3).toString() === ".md")
      .sort((a, b) => Buffer.compare(a.name, b.name));
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw new CatalogError("", [{ file: path, error: unreadable(cause) }]);
    log.warn({ path }, "the skills directory does not exist");
    return [];
  }
}

interface Parsed {
  readonly file: string;
  readonly skill: Skill;
}

async function parseAll(path: string, entries: readonly Dirent<Buffer>[]): Promise<readonly Parsed[]> {
  const results: (Parsed | Broken)[] = [];
  for (const { name } of entries) {
    results.push(parseFile(name.toString(), Buffer.concat([Buffer.from(`${path}/`), name])));
    if (results.length % slice === 0) await nextTurn();
  }
  const [first, ...more] = results.filter((result) => "error" in result);
  if (first) throw new CatalogError(path, [first, ...more]);
  return results as Parsed[];
}

function parseFile(file: string, path: Buffer): Parsed | Broken {
  try {
    return { file, skill: parse(readFile(path)) };
  } catch (cause) {
    return { file, error: cause instanceof SkillError ? cause : unreadable(cause) };
  }
}

/** What no model could read; a mistake, or a trap for our memory, bytes. */
const largest = 32 * 2 ** 20;

/** A pipe must not be waited for, and what is opened is what is looked at. */
function readFile(path: Buffer): Uint8Array {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error("not a file");
    if (found.size > largest) throw new Error(`larger than ${largest / 2 ** 20} MiB`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

const inWords: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  ELOOP: "its links go round in a circle",
  ENOENT: "its link leads nowhere",
  ENOTDIR: "not a directory",
};

function unreadable(cause: unknown): SkillError {
  const code = codeOf(cause) ?? "";
  const reason = inWords[code] ?? (code || (cause instanceof Error ? cause.message : String(cause)));
  return new SkillError("unreadable", `cannot be read: ${reason}`, { cause });
}

function codeOf(cause: unknown): string | undefined {
  return (cause as NodeJS.ErrnoException).code;
}
