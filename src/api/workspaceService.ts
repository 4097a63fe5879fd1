import type { ServiceImpl } from "@connectrpc/connect";
import type { WorkspaceService } from "../wire/workspace_pb.ts";
import { repositoryAddress } from "../workspace/repositoryAddress.ts";
import type { Workspaces } from "../workspace/workspace.ts";

/** The repositories that sessions can be pinned to. */
export function workspaceService(
  workspaces: Pick<Workspaces, "sources" | "resolve">,
): ServiceImpl<typeof WorkspaceService> {
  return {
    listWorkspaces: () => ({
      workspaces: workspaces.sources.map(({ name, repository, ref = "" }) => {
        const address = repositoryAddress(repository);
        return { name, ref, repository: "refused" in address ? "" : address.shown };
      }),
    }),
    resolveRef: ({ workspace, ref }, { signal }) => workspaces.resolve(workspace, ref === "" ? undefined : ref, signal),
  };
}
