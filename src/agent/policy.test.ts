import { expect, test } from "vitest";
import { rulesPolicy } from "./policy.ts";

const call = (server: string, tool: string, readOnly = false) => ({ server, tool, readOnly });

test("a tool that its server declares read-only runs unasked; one it says nothing of needs approval", () => {
  const policy = rulesPolicy({ allow: [], ask: [], deny: [] });

  expect(policy.decide(call("prometheus", "query", true))).toEqual({ decision: "allow", rule: "readOnlyHint" });
  expect(policy.decide(call("grafana", "query")).decision).toBe("ask");
});

test("deny wins over ask, and ask over allow", () => {
  const policy = rulesPolicy({ allow: ["*"], ask: ["k8s.*"], deny: ["k8s.delete_*"] });

  expect(policy.decide(call("grafana", "query"))).toEqual({ decision: "allow", rule: "policy.allow *" });
  expect(policy.decide(call("k8s", "get_pods", true))).toEqual({ decision: "ask", rule: "policy.ask k8s.*" });
  expect(policy.decide(call("k8s", "delete_pod", true))).toEqual({
    decision: "deny",
    rule: "policy.deny k8s.delete_*",
  });
});

test("everything but the star is literal, and a pattern matches the whole name", () => {
  const policy = rulesPolicy({ allow: ["a.b.c", "x.q*y"], ask: [], deny: [] });

  expect(policy.decide(call("a", "bxc")).decision).toBe("ask");
  expect(policy.decide(call("a", "b.c")).decision).toBe("allow");
  expect(policy.decide(call("x", "query")).decision).toBe("allow");
  expect(policy.decide(call("x", "query2")).decision).toBe("ask");
});
