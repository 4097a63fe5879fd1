import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../test/kit/tempDir.ts";
import { memoryLog } from "../log/log.ts";
import { CatalogError, load } from "./catalog.ts";
import { parse, type Skill, SkillError } from "./skill.ts";

interface Fields {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly mcp_server: string;
  readonly body: string;
}
interface ParseCase {
  readonly id: string;
  readonly group: string;
  readonly raw_b64: string;
  readonly want: ({ readonly ok: true } & Fields) | { readonly ok: false; readonly code: string };
}
interface LoadCase {
  readonly id: string;
  readonly path: string;
  readonly servers: readonly string[];
  readonly tree: readonly { readonly path: string; readonly b64?: string; readonly link?: string }[];
  readonly want:
    | { ok: true; skills: readonly Fields[]; dropped: readonly { skill: string; server: string }[] }
    | { ok: false; code: string; file: string };
}

const data = join(import.meta.dirname, "../../test/conformance");
async function cases<T>(file: string): Promise<T[]> {
  const lines = (await readFile(join(data, file), "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}
const parseCases = [...(await cases<ParseCase>("parse.ndjson")), ...(await cases<ParseCase>("kinds.ndjson"))];
const loadCases = await cases<LoadCase>("load.ndjson");

const fieldsOf = ({ mcpServer = "", description, name, tags, body }: Skill): Fields => ({
  name,
  description: description.replace(/\n+$/, ""),
  tags,
  mcp_server: mcpServer,
  body,
});

describe.each([...new Set(parseCases.map(({ group }) => group))])("the founding implementation's %s", (group) => {
  const own = parseCases.filter((one) => one.group === group);
  test.each(own.map((one) => [one.id, one] as const))("%s", (_, { raw_b64, want }) => {
    const raw = Buffer.from(raw_b64, "base64");

    const got = attempt(() => fieldsOf(parse(raw)));

    if (want.ok) expect(got).toEqual({ ok: true, ...fieldsOfWant(want) });
    else expect(got).toEqual({ ok: false, code: want.code });
  });
});

function fieldsOfWant({ name, description, tags, mcp_server, body }: Fields): Fields {
  return { name, description: description.replace(/\n+$/, ""), tags, mcp_server, body };
}

function attempt(action: () => Fields) {
  try {
    return { ok: true, ...action() };
  } catch (error) {
    if (error instanceof SkillError) return { ok: false, code: error.code };
    throw error;
  }
}

test.each(loadCases.map((one) => [one.id, one] as const))("loading: %s", async (_, { tree, path, servers, want }) => {
  await using dir = await tempDir();
  for (const entry of tree) {
    const target = join(dir.path, entry.path);
    await mkdir(entry.b64 === undefined && entry.link === undefined ? target : dirname(target), { recursive: true });
    if (entry.b64 !== undefined) await writeFile(target, Buffer.from(entry.b64, "base64"));
    if (entry.link !== undefined) await symlink(entry.link, target);
  }

  const loading = load(join(dir.path, path), servers, memoryLog());

  if (want.ok) {
    const { skills, dropped } = await loading;
    expect(skills.map(fieldsOf)).toEqual(want.skills.map(fieldsOfWant));
    expect(dropped.map(({ name, mcpServer }) => ({ skill: name, server: mcpServer }))).toEqual(want.dropped);
  } else {
    const error = await loading.catch((error: unknown) => error);
    expect(error).toBeInstanceOf(CatalogError);
    expect(error).toMatchObject({ code: want.code, file: want.file });
  }
});
