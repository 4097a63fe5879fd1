import type { FoundBackend } from "./usualBackends.ts";

export interface StarterOptions {
  readonly backends: readonly FoundBackend[];
  /** `provider/name`; absent: none, and the line is there as a comment. */
  readonly model?: string;
  /** Patterns `server.tool` of tools that are known to read although their server does not say so. */
  readonly allow: readonly string[];
}

/** A commented `korvus.yaml` to begin with. Pure. */
export function starterConfig({ backends, model, allow }: StarterOptions): string {
  const servers =
    backends.length > 0
      ? backends.map(entry).join("")
      : "    {}   # none was found: name one, see docs/configuration.md\n";
  return `# What Korvus asks and how far it may go. korvus config check reads it; korvus doctor says what answers.

mcp:
  servers:
${servers}
skills:
  path: ./skills        # what your team knows; one Markdown file a backend

${model === undefined ? "# model: anthropic/claude-sonnet-4-5   # without a model, runbook follows the queries in the skills" : `model: ${quoted(model)}`}

budget:                 # every run ends in a report, also when one of these is used up
  steps: 40
  tokens: 500000
  time: 10m

policy:                 # patterns server.tool; deny wins over ask, ask over allow
  # A tool runs unasked only if its server declares it read-only, or if it is named here.
  allow:${list(allow)}
  deny: []
`;
}

function list(patterns: readonly string[]): string {
  return patterns.length === 0 ? " []" : patterns.map((pattern) => `\n    - ${quoted(pattern)}`).join("");
}

function entry({ backend, url, up }: FoundBackend): string {
  const server = backend.server(url);
  const notes = [...backend.notes, ...(up ? [] : [`did not answer at ${url} when this file was written`])];
  const lines =
    "command" in server
      ? [
          `command: ${quoted(server.command)}`,
          `args: [${server.args.map(quoted).join(", ")}]`,
          `env: { ${Object.entries(server.env)
            .map(([key, value]) => `${key}: ${quoted(value)}`)
            .join(", ")} }`,
        ]
      : [`url: ${quoted(server.url)}`];
  return [
    `    ${backend.name}:`,
    ...notes.map((note) => `      # ${note}`),
    ...lines.map((line) => `      ${line}`),
    "",
  ].join("\n");
}

/** Double quotes where YAML needs them: a JSON string is a YAML string. */
function quoted(text: string): string {
  return /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:true|false|yes|no|on|off|null)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
