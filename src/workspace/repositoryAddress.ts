import type { HiddenSetting } from "./gitEnvironment.ts";

/** Where a repository is, taken apart so that no password reaches a command line or a message. */
export interface RepositoryAddress {
  /** For git. User name and password of an HTTP address are in `hidden` instead. */
  readonly url: string;
  /** For people, and for the name of the mirror: a new password is no other repository. */
  readonly shown: string;
  readonly hidden: readonly HiddenSetting[];
  /** What must not stand in a message, should a server repeat it. */
  readonly secrets: readonly string[];
  readonly ssh: boolean;
}

const allowed = "expected an absolute path, or an address with file, http, https, ssh or git";

/** The address as it is written in the configuration, or why it is refused; that sentence never repeats it. */
export function repositoryAddress(repository: string): RepositoryAddress | { readonly refused: string } {
  if (repository.startsWith("/")) return plain(repository);
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(repository) ?? [];
  if (scheme !== undefined) return ofUrl(repository, scheme.toLowerCase());
  // `ext::sh -c ...` and its like run whatever stands behind the colons.
  const [, helper] = /^([\w+.-]*)::/.exec(repository) ?? [];
  if (helper !== undefined) return { refused: `a repository by ${helper}:: is not supported: ${allowed}` };
  // `user@host:path`; a host that begins with "-" would be an option of ssh.
  if (/^(?:[^/@:\s-][^/@:\s]*@)?(?:[^/@:\s[\]-][^/@:\s[\]]*|\[[0-9a-f:.]+\]):[^:]/i.test(repository)) {
    return { ...plain(repository), ssh: true };
  }
  return { refused: `this is no address of a repository: ${allowed}` };
}

function plain(url: string): RepositoryAddress {
  return { url, shown: url, hidden: [], secrets: [], ssh: false };
}

function ofUrl(repository: string, scheme: string): RepositoryAddress | { readonly refused: string } {
  if (!["file", "http", "https", "ssh", "git"].includes(scheme)) {
    return { refused: `a repository by ${scheme} is not supported: ${allowed}` };
  }
  if (!URL.canParse(repository)) return { refused: `this is no valid ${scheme} address: ${allowed}` };
  if (scheme === "file") return plain(repository);
  const url = new URL(repository);
  const { password, username } = url;
  const secrets = [password, decoded(password)].filter((secret) => secret !== "");
  url.password = "";
  const isHttp = scheme.startsWith("http");
  // A name by itself stays, for credential helpers to look up.
  if (isHttp && password !== "") url.username = "";
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64");
  const hidden =
    isHttp && password !== ""
      ? [{ key: `http.${url.protocol}//${url.host}/.extraHeader`, value: `Authorization: Basic ${basic}` }]
      : [];
  return {
    url: url.href,
    shown: shownUrl(url),
    hidden,
    secrets: hidden.length > 0 ? [...secrets, basic] : secrets,
    ssh: scheme === "ssh",
  };
}

/** Without what may be a token: the user of an HTTP address, and what follows a question mark. */
function shownUrl(url: URL): string {
  const shown = new URL(url);
  if (shown.protocol.startsWith("http")) shown.username = "";
  shown.search = "";
  shown.hash = "";
  return shown.href;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A lone percent sign: taken as it is, as git does.
  }
}

/** Text of git's, less the secrets of the address and any other user info of a URL. */
export function withoutSecrets(text: string, { secrets }: RepositoryAddress): string {
  const bare = secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), text);
  return bare.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, "$1");
}
