import type { Config } from "../config/config.ts";
import type { CreateSession } from "../session/session.ts";
import { UsageError } from "./exitCode.ts";

/** `payments@v42`: the name ends at the first @, for a ref may hold some. Without a configuration, any name will do. */
export function workspaceFlag(
  text: string,
  config?: Pick<Config, "workspaces">,
): NonNullable<CreateSession["workspace"]> {
  const at = text.indexOf("@");
  const [name, ref] = at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
  if (name === "" || ref === "") throw new UsageError(`${text}: expected NAME or NAME@REF, as payments@v42`);
  if (config && !config.workspaces.some((known) => known.name === name)) {
    const names = config.workspaces.map((known) => known.name).join(", ");
    const known = names === "" ? "none is configured" : `configured: ${names}`;
    throw new UsageError(`there is no workspace named ${name} (${known})`);
  }
  return { name, ...(ref === undefined ? {} : { ref }) };
}
