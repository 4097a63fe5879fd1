import type { RegistryObserver } from "../mcp/registry.ts";
import type { Recorder } from "./recorder.ts";

/** Writes every listing and every call that passes through a registry. */
export function recordingObserver(recorder: Recorder): RegistryObserver {
  return {
    listing: (server, tools) => recorder.add({ type: "listing", server, tools }),
    call: (server, tool, args, { outcome, reached, result }) =>
      recorder.add({ type: "call", server, tool, arguments: args, outcome, reached, result }),
  };
}
