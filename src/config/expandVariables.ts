import { type Document, isPair, isScalar, isSeq, type Node, Scalar, visit } from "yaml";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Expansion {
  /** Variables whose values are now in the document, by name. */
  readonly used: ReadonlyMap<string, string>;
  /** Plain scalars that were one variable and nothing else: they may be meant as a number or a boolean. */
  readonly whole: ReadonlySet<unknown>;
  readonly problems: readonly Problem[];
}

interface Problem {
  readonly node: Node;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const reference = /\$\$\{|\$\{(?:([A-Za-z_]\w*)(?:(:-)([^}]*))?\})?/g;

/**
 * Replaces `${VAR}` and `${VAR:-default}` in the values of `document`, never in its keys, and never re-reads the outcome
 * as YAML. The default counts where the variable is unset or empty, as in a shell. `$${` is a literal `${`.
 */
export function expandVariables(document: Document, environment: Environment): Expansion {
  const used = new Map<string, string>();
  const whole = new Set<unknown>();
  const problems: Problem[] = [];

  const valueOf = (name: string, fallback: string | undefined, report: (message: string) => void) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (fallback !== undefined && (value === undefined || value === "")) return fallback;
    if (value === undefined) report(`the environment variable ${name} is not set`);
    else used.set(name, value);
    return value ?? "";
  };
  visit(document, {
    Scalar(key, node, ancestors) {
      if (key === "key" || typeof node.value !== "string" || !node.value.includes("${")) return;
      const source = node.value;
      if (node.type === Scalar.PLAIN && source.replace(reference, "") === "") whole.add(node);
      const report = (message: string) => problems.push({ node, path: pathOf([...ancestors, node]), message });
      node.value = source.replace(reference, (match, name?: string, colon?: string, fallback = "") => {
        if (match === "$${") return "${";
        if (name !== undefined) return valueOf(name, colon === undefined ? undefined : fallback, report);
        report("expected ${NAME} or ${NAME:-default}; write $${ for a literal ${");
        return "";
      });
    },
  });
  return { used, whole, problems };
}

function pathOf(nodes: readonly unknown[]): PropertyKey[] {
  return nodes.flatMap((node, index): PropertyKey[] => {
    if (isPair(node)) return [String(isScalar(node.key) ? node.key.value : "")];
    return isSeq(node) ? [node.items.indexOf(nodes[index + 1])] : [];
  });
}
