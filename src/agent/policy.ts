import type { PolicyRules } from "../config/config.ts";
import { matchesWildcard } from "../mcp/wildcard.ts";

/** Whether a tool may run. `rule` says what decided, for people. */
interface Decision {
  readonly decision: "allow" | "deny" | "ask";
  readonly rule: string;
}

export interface Policy {
  decide(call: { readonly server: string; readonly tool: string; readonly readOnly: boolean }): Decision;
}

/**
 * Deny wins over ask, ask over allow. A tool that no rule names runs only if its server says `readOnlyHint: true`:
 * that a server says nothing does not mean that the tool writes, but nobody has said that it reads.
 */
export function rulesPolicy(rules: PolicyRules): Policy {
  const ordered = (["deny", "ask", "allow"] as const).flatMap((decision) =>
    rules[decision].map((pattern) => ({ decision, pattern })),
  );
  return {
    decide({ server, tool, readOnly }) {
      const found = ordered.find(({ pattern }) => matchesWildcard(pattern, `${server}.${tool}`));
      if (found) return { decision: found.decision, rule: `policy.${found.decision} ${found.pattern}` };
      return readOnly
        ? { decision: "allow", rule: "readOnlyHint" }
        : { decision: "ask", rule: "not declared read-only, and policy.allow does not name it" };
    },
  };
}
