import type { JsonObject } from "../json/json.ts";
import { ArgumentError } from "./argumentError.ts";
import { listFiles } from "./listFiles.ts";
import { readTreeFile } from "./readTreeFile.ts";
import { searchFiles } from "./searchFiles.ts";
import type { ScratchTree } from "./workspace.ts";

/** A tool as MCP servers define theirs. */
interface FileTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: { readonly readOnlyHint: true };
}

/** What a call gives back, in MCP's shape. */
export interface FileResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly isError: boolean;
}

const readOnly = { readOnlyHint: true } as const;
const text = (description: string) => ({ type: "string", description });
const line = (description: string) => ({ type: "integer", minimum: 1, description });

/** Read-only tools over the files of the commit that a session is pinned to. */
export const workspaceToolDefinitions: readonly FileTool[] = [
  {
    name: "list_files",
    description:
      "Lists files of the team's repository at the commit of this session, with sizes: alert rules, service catalog, deployment files. Names what of the commit is left out.",
    inputSchema: {
      type: "object",
      properties: {
        path: text("Directory to list, all below it included; default: the whole tree"),
        pattern: text("Only paths that match, * for any characters but /, ** for any: **/*.yaml"),
      },
      additionalProperties: false,
    },
    annotations: readOnly,
  },
  {
    name: "read_file",
    description: "Reads a text file of the team's repository at the commit of this session, with line numbers.",
    inputSchema: {
      type: "object",
      properties: {
        path: text("Path of the file, as list_files gives it"),
        from: line("First line, default 1"),
        to: line("Last line, default: as many as fit"),
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: readOnly,
  },
  {
    name: "search_files",
    description:
      "Finds lines that hold a text, without regard to case, in the team's repository at the commit of this session.",
    inputSchema: {
      type: "object",
      properties: {
        text: text("Text to find, as it is: no pattern"),
        path: text("Directory or file to search; default: the whole tree"),
        pattern: text("Only files whose path matches: **/*.yaml"),
      },
      required: ["text"],
      additionalProperties: false,
    },
    annotations: readOnly,
  },
];

/** Calls one of the tools. Wrong arguments are an error that a model reads; rejects only where the disk fails. */
export async function callWorkspaceTool(
  tree: Pick<ScratchTree, "path" | "leftOut" | "commit">,
  tool: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<FileResult> {
  try {
    const text = await run(tree, { tool, args, signal });
    return { content: [{ type: "text", text }], isError: false };
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}

interface Call {
  readonly tool: string;
  readonly args: JsonObject;
  readonly signal: AbortSignal;
}

function run(tree: Pick<ScratchTree, "path" | "leftOut" | "commit">, { tool, args, signal }: Call): Promise<string> {
  switch (tool) {
    case "list_files":
      return listFiles(tree, { path: optionalText(args, "path"), pattern: optionalText(args, "pattern") }, signal);
    case "read_file":
      return readTreeFile(tree, { path: neededText(args, "path"), from: lineOf(args, "from"), to: lineOf(args, "to") });
    case "search_files":
      return searchFiles(
        tree,
        { text: neededText(args, "text"), path: optionalText(args, "path"), pattern: optionalText(args, "pattern") },
        signal,
      );
    default:
      throw new ArgumentError(`there is no tool named ${tool}`);
  }
}

function optionalText(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new ArgumentError(`${name} must be a text`);
  return value;
}

function neededText(args: JsonObject, name: string): string {
  const value = optionalText(args, name);
  if (value === undefined || value === "") throw new ArgumentError(`${name} is needed, and must not be empty`);
  return value;
}

function lineOf(args: JsonObject, name: string): number | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1)
    throw new ArgumentError(`${name} must be a whole number from 1 on`);
  return value;
}
