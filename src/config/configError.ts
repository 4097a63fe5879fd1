/** One thing in a configuration that an operator has to fix. */
export interface ConfigIssue {
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  /** Where in the configuration, as `mcp.servers.loki`; "" for the file as a whole. */
  readonly path: string;
  /** Says what was expected and what came; never holds a value, since that may be a secret. */
  readonly message: string;
}

/** The configuration cannot be used. `message` has a line for every issue: `korvus.yaml:9:3 mcp.servers.loki: ...`. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** As it was given, or what stands for it, as `--model`. */
  readonly file: string;
  /** All that were found, in the order of the file; never empty. */
  readonly issues: readonly ConfigIssue[];

  constructor(file: string, issues: readonly ConfigIssue[], options?: ErrorOptions) {
    const sorted = issues.toSorted((a, b) => a.line - b.line || a.column - b.column);
    const lines = sorted.map(({ line, column, path, message }) =>
      [`${file}:${line}:${column}`, path && `${path}:`, message].filter(Boolean).join(" "),
    );
    super(lines.join("\n"), options);
    this.file = file;
    this.issues = sorted;
  }
}
