import type { ExecuteContext } from "../agent/executeCall.ts";
import type { ServerTool } from "../mcp/registry.ts";
import type { Redact } from "../redact/redact.ts";
import { textResult } from "../result/toolResult.ts";
import type { ScratchTree } from "../workspace/workspace.ts";
import { callWorkspaceTool, workspaceToolDefinitions } from "../workspace/workspaceTools.ts";
import { SessionError } from "./session.ts";
import type { Surroundings } from "./surroundings.ts";

/** What the files of a pinned session are called where servers are named: in calls, citations and coverage. */
export const workspaceServer = "workspace";

/** The tools that a session offers, fixed at its creation: those of the connected servers, and of its own files. */
export function offeredTools(
  registry: Pick<Surroundings["registry"], "tools">,
  { pinned, redact }: { readonly pinned: boolean; readonly redact: Redact },
): readonly ServerTool[] {
  const own = pinned ? workspaceToolDefinitions.map((tool) => ({ server: workspaceServer, tool: redact(tool) })) : [];
  return [...registry.tools(), ...own];
}

/** The tools as they were stored. Throws `SessionError` `damaged`. */
export function readToolsText(text: string): readonly ServerTool[] {
  const tools: unknown = JSON.parse(text);
  if (!Array.isArray(tools)) throw new SessionError("damaged", "the stored tools are no list");
  return tools as readonly ServerTool[];
}

/** Calls a tool of a server, or of the session's own files, which are seeded when the first such call is made. */
export function callerOf(
  { registry, redact, log }: Pick<Surroundings, "registry" | "redact" | "log">,
  tree: ((signal: AbortSignal) => Promise<ScratchTree>) | undefined,
): ExecuteContext["callServer"] {
  return async (server, tool, args, request) => {
    if (server !== workspaceServer || !tree) return await registry.call(server, tool, args, request);
    try {
      const { isError, content } = await callWorkspaceTool(await tree(request.signal), tool, args, request.signal);
      return { outcome: isError ? "error" : "ok", result: redact({ content, isError }), reached: true };
    } catch (error) {
      request.signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      log.warn({ tool }, `the files of the session cannot be read: ${redact(message)}`);
      return {
        outcome: "error",
        result: redact(textResult(`The files cannot be read: ${message}`, true)),
        reached: false,
      };
    }
  };
}
