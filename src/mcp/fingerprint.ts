import { createHash } from "node:crypto";
import { canonicalJson, type Json } from "../json/json.ts";
import { byUtf8 } from "./byUtf8.ts";
import type { ToolDefinition } from "./connection.ts";

/** SHA-256, hex, over one tool as its server describes it: name, title, description, schemas, annotations. */
export function toolFingerprint(tool: ToolDefinition): string {
  return sha256(described(tool));
}

/** SHA-256, hex, over all tools of one server, in whatever order it lists them. */
export function fingerprint(tools: readonly ToolDefinition[]): string {
  return sha256([...tools].sort((a, b) => byUtf8(a.name, b.name)).map(described));
}

function described(tool: ToolDefinition): Json {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    title: title ?? null,
    description,
    inputSchema,
    outputSchema: outputSchema ?? null,
    annotations: annotations as Json,
  };
}

function sha256(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
