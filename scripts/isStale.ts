/** The part of npm's lock files (`package-lock.json`, `node_modules/.package-lock.json`) that tells what is installed. */
export interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
}

/** Whether `installed` lacks something of `lock`, or has it in another version, or holds what `lock` does not name. */
export function isStale(lock: LockFile, installed: LockFile): boolean {
  const lacks = Object.entries(lock.packages).some(([path, wanted]) => {
    const found = installed.packages[path];
    // The root has the key "" and is not installed; optional packages are left out on other platforms.
    if (path === "" || (!found && wanted.optional)) return false;
    return found?.version !== wanted.version;
  });
  return lacks || Object.keys(installed.packages).some((path) => !lock.packages[path]);
}
