/** `sqlite:PATH` or a PostgreSQL URL. */
export const databasePattern = /^(?:sqlite:.+|postgres(?:ql)?:\/\/.+)$/s;

/** True for `HOST:PORT`, an IPv6 address in brackets. */
export function isListenAddress(text: string): boolean {
  return parseListenAddress(text) !== undefined;
}

/** Host and port of `HOST:PORT`; port 0 means any free one. */
export function parseListenAddress(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

/** What git takes as an address of another place, rather than a path: `scheme://...` and `user@host:path`. */
export function isRemoteRepository(repository: string): boolean {
  return (
    /^[a-z][a-z0-9+.-]*:\/\//i.test(repository) ||
    /^(?:[^/@:]+@)?[^/:]{2,}:[^/\\].*$/.test(repository) ||
    /^[^/:]+@[^/:]+:/.test(repository) ||
    /^[a-z]+::/i.test(repository)
  );
}
