import { createHash } from "node:crypto";
import type { Catalog } from "../skill/catalog.ts";
import type { Skill } from "../skill/skill.ts";
import { SessionError } from "./session.ts";

/** The skills of a catalog, all that a run needs of it. */
export type SkillSet = Pick<Catalog, "skills" | "digest">;

/** A catalog as one text, whose SHA-256 is the catalog's digest. */
export function catalogText({ skills }: Pick<Catalog, "skills">): string {
  return JSON.stringify(
    skills.map(({ name, description, tags, mcpServer = null, body }) => [name, description, tags, mcpServer, body]),
  );
}

/** The way back. Throws `SessionError` `damaged` for a text that is none. */
export function readCatalogText(text: string): SkillSet {
  const rows = parse(text);
  if (!Array.isArray(rows) || !rows.every(isRow)) throw new SessionError("damaged", "the stored catalog is no catalog");
  const skills = rows.map(
    ([name, description, tags, mcpServer, body]): Skill =>
      Object.freeze({
        name,
        description,
        tags: Object.freeze([...tags]),
        ...(mcpServer === null ? {} : { mcpServer }),
        body,
      }),
  );
  return Object.freeze({ skills: Object.freeze(skills), digest: sha256(text) });
}

/** A pinned session's that cannot read its commit's skills. */
export const noSkillsText = "[]";

/** SHA-256, hex, of the UTF-8 bytes. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

type Row = readonly [
  name: string,
  description: string,
  tags: readonly string[],
  mcpServer: string | null,
  body: string,
];

function isRow(value: unknown): value is Row {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const [name, description, tags, mcpServer, body] = value as readonly unknown[];
  const texts = [name, description, body, ...(Array.isArray(tags) ? tags : [undefined])];
  return texts.every((text) => typeof text === "string") && (mcpServer === null || typeof mcpServer === "string");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SessionError("damaged", "the stored catalog is no JSON", { cause });
  }
}
