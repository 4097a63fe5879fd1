const passed = ["PATH", "HOME", "LANG", "TMPDIR"];

/** What a stdio server sees: PATH, HOME, locale and TMPDIR of ours, and its own `env`, which wins. Nothing else. */
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
