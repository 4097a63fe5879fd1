import { createClient } from "@connectrpc/connect";
import { WorkspaceService } from "../wire/workspace_pb.ts";
import type { ResolvedRef } from "../workspace/workspace.ts";
import { fromRemote, type RemoteOptions, remoteTransport } from "./remoteClient.ts";

export interface RemoteWorkspaces {
  /** `repository` is shown without user and password; an empty `ref` is the repository's HEAD. */
  list(
    signal: AbortSignal,
  ): Promise<readonly { readonly name: string; readonly repository: string; readonly ref: string }[]>;
  /** Without a ref, the workspace's own. */
  resolve(workspace: string, ref: string | undefined, signal: AbortSignal): Promise<ResolvedRef>;
}

/** The workspaces that a server's sessions can be pinned to. Rejects with `WorkspaceError` or `ApiClientError`. */
export function remoteWorkspaces(options: RemoteOptions): RemoteWorkspaces {
  const client = createClient(WorkspaceService, remoteTransport(options));
  const ask = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw fromRemote(error, options);
    }
  };
  return {
    list: async (signal) =>
      (await ask(client.listWorkspaces({}, { signal }))).workspaces.map(({ name, repository, ref }) => ({
        name,
        repository,
        ref,
      })),
    async resolve(name, wanted = "", signal) {
      const { workspace, ref, commit } = await ask(client.resolveRef({ workspace: name, ref: wanted }, { signal }));
      return { workspace, ref, commit };
    },
  };
}
