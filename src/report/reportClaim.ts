import { z } from "zod";
import type { JsonObject } from "../json/json.ts";
import { type ReportClaim, verdicts } from "./report.ts";

const schema = z.strictObject({
  summary: z
    .string()
    .trim()
    .min(1)
    .describe(
      "The answer first: what is wrong, since when, how it shows. Two or three sentences with numbers, units and times.",
    ),
  verdict: z
    .enum(verdicts)
    .describe("confirmed: the evidence shows the cause. likely: it points there. inconclusive: it does not decide."),
  findings: z
    .array(
      z.strictObject({
        statement: z.string().trim().min(1).describe("One fact, with the numbers, units and times that show it."),
        evidence: z
          .array(
            z.strictObject({
              call: z
                .int()
                .min(1)
                .describe("Number of the tool call whose result shows this, as written in the result."),
              server: z.string().min(1).describe("The server that answered that call, as written in the result."),
            }),
          )
          .describe("Every tool call that proves the statement. Only calls that returned data count."),
      }),
    )
    .describe("What was established, most important first. Leave out what no tool call shows."),
  limits: z
    .array(z.string().trim().min(1))
    .default([])
    .describe(
      "What limits this answer: data that was not there, a window covered in part. Not what coverage says anyway.",
    ),
  next_steps: z.array(z.string().trim().min(1)).default([]).describe("What a person should do or look at next."),
});

/** More than anybody reads, and than a terminal shows in a moment, characters of JSON. */
const longestReport = 200_000;
/** What is wrong with a report is told as far as it helps, characters. */
const longestError = 4_000;

/** JSON Schema of the `report` tool's arguments. */
export function reportSchema(): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  return json as JsonObject;
}

/** The claim in a `report` tool's arguments, or one readable text of everything that is wrong with them. */
export function parseClaim(args: JsonObject): { readonly claim: ReportClaim } | { readonly error: string } {
  const { length } = JSON.stringify(args);
  if (length > longestReport) return { error: `It has ${length} characters, at most ${longestReport} are taken.` };
  const { success, data, error } = schema.safeParse(args);
  if (!success) return { error: z.prettifyError(error).slice(0, longestError) };
  const { next_steps: nextSteps, ...claim } = data;
  return { claim: { ...claim, nextSteps } };
}
