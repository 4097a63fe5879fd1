/** Without the last three, which are paths, `npx` downloads nothing behind a proxy that opens TLS. */
const passed = ["PATH", "HOME", "LANG", "TMPDIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/** What a stdio server sees: what is `passed`, the locale, and its own `env`, which wins. Nothing else. */
export function childEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(ours).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (passed.includes(entry[0]) || entry[0].startsWith("LC_")),
  );
  return { ...Object.fromEntries(kept), ...own };
}
