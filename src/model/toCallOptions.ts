import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { JsonObject } from "../json/json.ts";
import type { StepInput, ToolChoice } from "./model.ts";
import { toPrompt } from "./toPrompt.ts";

export interface CallSettings {
  /** Bound on the tokens of one answer. Default: the provider's own. */
  readonly maxOutput?: number;
  /** By provider name, as the AI SDK has it. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

/**
 * One step as one call of the AI SDK's provider interface. Tools keep their order, and stay whatever the choice is. One
 * package breaks that: where an Anthropic model cannot be forced (while it thinks), a demanded tool is sent alone.
 */
export function toCallOptions(
  { system, messages, tools, toolChoice }: StepInput,
  { maxOutput, providerOptions }: CallSettings,
): LanguageModelV4CallOptions {
  return {
    prompt: toPrompt(system, messages),
    // Every event of the wire then counts as a sign of life, pings included.
    includeRawChunks: true,
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({ type: "function", name, description, inputSchema })),
      toolChoice: toToolChoice(toolChoice),
    }),
    ...(maxOutput !== undefined && { maxOutputTokens: maxOutput }),
    ...(providerOptions && { providerOptions }),
  };
}

function toToolChoice(choice: ToolChoice): NonNullable<LanguageModelV4CallOptions["toolChoice"]> {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.tool };
}
