import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";
import type { ConfigIssue } from "./configError.ts";

/** YAML with places. */
export interface SourceDocument {
  readonly document: Document;
  /** What YAML itself refuses; where there is any, the rest is not to be trusted. */
  readonly issues: readonly ConfigIssue[];
  /** An issue at the node, or at the start where there is none. */
  issueAt(node: Node | undefined, path: readonly PropertyKey[], message: string): ConfigIssue;
  /** The node to point at for a path: a scalar itself, else its key, else what is nearest around it. */
  find(path: readonly PropertyKey[]): Node | undefined;
}

export function readDocument(text: string): SourceDocument {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    merge: true,
    stringKeys: true,
    logLevel: "error",
  });
  const issueAtOffset = (offset: number, path: readonly PropertyKey[], message: string): ConfigIssue => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col), path: path.map(String).join("."), message };
  };
  const issueAt: SourceDocument["issueAt"] = (node, path, message) =>
    issueAtOffset(node?.range?.[0] ?? 0, path, message);

  // After the first error of syntax the others are its echoes; a key that stands twice is an error of its own.
  const duplicates = document.errors.filter(({ code }) => code === "DUPLICATE_KEY");
  const syntax = document.errors.filter(({ code }) => code !== "DUPLICATE_KEY").slice(0, 1);
  const issues = [...syntax, ...duplicates, ...document.warnings].map(({ pos, message }) =>
    issueAtOffset(pos[0], [], text[pos[0] - 1] === "$" ? "${...} within { } or [ ] needs quotes" : message),
  );
  if (syntax.length === 0)
    issues.push(...aliasProblems(document).map(({ node, message }) => issueAt(node, [], message)));
  return { document, issues, issueAt, find: (path) => find(document, path) };
}

function aliasProblems(document: Document): { node: Node; message: string }[] {
  const problems: { node: Node; message: string }[] = [];
  const aliases: Node[] = [];
  const merges: Node[] = [];
  visit(document, {
    Alias(_, node) {
      aliases.push(node);
      const target = node.resolve(document);
      const [start, end] = [target?.range?.[0] ?? 0, target?.range?.[1] ?? 0];
      const at = node.range?.[0] ?? 0;
      if (target === undefined) problems.push({ node, message: `no anchor &${node.source} before this alias` });
      else if (start <= at && at < end)
        problems.push({ node, message: `the alias *${node.source} stands within its own anchor` });
    },
    Pair(_, { key }) {
      if (isScalar(key) && key.value === "<<") merges.push(key);
      if (isScalar(key) && key.value === "__proto__")
        problems.push({ node: key, message: "__proto__ cannot be a key" });
    },
  });
  if (problems.length > 0) return problems;
  try {
    document.toJS();
  } catch (error) {
    // Only aliases and merges go wrong as late as here.
    const message =
      error instanceof ReferenceError ? "the aliases of this file stand for too much" : (error as Error).message;
    const node = error instanceof ReferenceError ? aliases[0] : merges[0];
    problems.push({ node: node ?? (document.contents as Node), message });
  }
  return problems;
}

function find(document: Document, path: readonly PropertyKey[]): Node | undefined {
  let node: unknown = document.contents;
  let nearest: Node | undefined;
  for (const segment of path) {
    const map = isNode(node) && "resolve" in node ? node.resolve(document) : node;
    const pair = isMap(map) ? map.items.find(({ key }) => isScalar(key) && String(key.value) === segment) : undefined;
    node = isSeq(map) ? map.items[Number(segment)] : pair?.value;
    const place = isScalar(node) && node.value !== null ? node : (pair?.key ?? node);
    if (!isNode(place)) break;
    nearest = place;
  }
  return nearest;
}
