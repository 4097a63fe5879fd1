import { isIPv4 } from "node:net";

/** True for addresses and names of this machine only: 127.0.0.0/8, ::1, localhost. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, "");
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}

/** The host of a `Host` header, without the port; undefined for what is none. */
export function hostOf(header: string | undefined): string | undefined {
  const [, host] = /^(\[[0-9a-fA-F:.]+\]|[^:/@\s]+)(?::\d{1,5})?$/.exec(header ?? "") ?? [];
  return host;
}
