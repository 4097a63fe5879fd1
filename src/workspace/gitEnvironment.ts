/** Of git's own variables, those that say how to reach a repository. All others say which repository is meant, and are ours to say. */
const kept =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_\w+|EXEC_PATH|CONFIG_(?:NOSYSTEM|SYSTEM|GLOBAL|COUNT|KEY_\d+|VALUE_\d+))$/;
/** Ways to ask a person: nobody is there to answer. */
const prompting: readonly string[] = ["SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY", "LANGUAGE"];

/** A setting for one command of git that must not stand on its command line, where every user of the machine sees it. */
export interface HiddenSetting {
  readonly key: string;
  readonly value: string;
}

/**
 * What git sees: our environment, since credential helpers and ssh need more of it than anybody could list, less what
 * points git elsewhere or lets it ask somebody. The user's and the system's git configuration apply as they are.
 */
export function gitEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  hidden: readonly HiddenSetting[] = [],
): Record<string, string> {
  const passed = Object.entries(ours).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !prompting.includes(entry[0]) && (!entry[0].startsWith("GIT_") || kept.test(entry[0])),
  );
  const environment: Record<string, string> = {
    ...Object.fromEntries(passed),
    // Messages are read, too.
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    // Empty rather than absent: it wins over `core.askPass`.
    GIT_ASKPASS: "",
    SSH_ASKPASS_REQUIRE: "never",
    GCM_INTERACTIVE: "never",
    GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
    // A commit is what its id says, and what is missing is said to be.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
  };
  const count = Number(environment["GIT_CONFIG_COUNT"] ?? 0) || 0;
  for (const [index, { key, value }] of hidden.entries()) {
    environment[`GIT_CONFIG_KEY_${count + index}`] = key;
    environment[`GIT_CONFIG_VALUE_${count + index}`] = value;
  }
  if (hidden.length > 0) environment["GIT_CONFIG_COUNT"] = String(count + hidden.length);
  return environment;
}
