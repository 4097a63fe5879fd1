import { z } from "zod";
import type { JsonObject } from "../json/json.ts";
import type { ToolSpec } from "../model/model.ts";
import { reportSchema } from "../report/reportClaim.ts";
import type { BuiltinName } from "./events.ts";

/** Names that no server's tool may get. */
export const builtinNames: readonly BuiltinName[] = ["call_tool", "read_result", "report"];

const readResult = z.strictObject({
  call: z.int().min(1).describe("Number of the tool call whose result to read."),
  offset: z.int().min(0).default(0).describe("Where to start, in characters; the cut names it."),
});

export const callTool = z.strictObject({
  server: z.string().min(1),
  tool: z.string().min(1),
  arguments: z
    .record(z.string(), z.json())
    .optional()
    .describe("Leave out to read the tool's description and schema instead."),
});

/** Arguments of `read_result`, or what is wrong with them. */
export function parseReadResult(
  args: JsonObject,
): { readonly call: number; readonly offset: number } | { readonly error: string } {
  const { success, data, error } = readResult.safeParse(args);
  return success ? data : { error: z.prettifyError(error) };
}

export const reportTool: ToolSpec = {
  name: "report",
  description: "Submits the report and ends the investigation. Call it once, when the evidence is in.",
  inputSchema: reportSchema(),
};

export const readResultTool: ToolSpec = {
  name: "read_result",
  description: "Reads on in a result that was cut, or reads a result of an earlier call again.",
  inputSchema: jsonSchema(readResult),
};

/** The way to tools that are too many to be offered one by one; `overflow` lists them by server. */
export function callToolTool(overflow: ReadonlyMap<string, readonly string[]>): ToolSpec {
  const lists = [...overflow].map(([server, tools]) => `${server}: ${tools.join(", ")}`);
  return {
    name: "call_tool",
    description: `Calls a tool that is not in your list by itself. Read its schema first by leaving out the arguments. Tools by server:\n${lists.join("\n")}`,
    inputSchema: jsonSchema(callTool),
  };
}

function jsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  return json as JsonObject;
}
