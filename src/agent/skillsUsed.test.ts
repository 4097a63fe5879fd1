import { expect, test } from "vitest";
import { skillsUsed } from "./skillsUsed.ts";

const skill = (name: string, mcpServer?: string) => ({
  name,
  description: "",
  tags: [],
  body: "",
  ...(mcpServer ? { mcpServer } : {}),
});
const catalog = {
  skills: [
    skill("generic"),
    skill("loki-logs", "loki"),
    skill("metrics", "prometheus"),
    skill("more-metrics", "prometheus"),
  ],
};

test("the skills of each server that was invoked are used, in catalog order", () => {
  const calls = [
    { server: "prometheus", reached: true },
    { server: "loki", reached: true },
    { server: "prometheus", reached: true },
  ];

  expect(skillsUsed(catalog, calls)).toEqual(["loki-logs", "metrics", "more-metrics"]);
});

test("a skill without a server is never credited, since nothing observable ties it to a call", () => {
  expect(skillsUsed(catalog, [{ server: "prometheus", reached: true }])).not.toContain("generic");
});

test("a call that was denied credits nothing", () => {
  expect(skillsUsed(catalog, [{ server: "prometheus", reached: false }])).toEqual([]);
});

test("servers match exactly", () => {
  expect(
    skillsUsed(catalog, [
      { server: "Prometheus", reached: true },
      { server: "constructor", reached: true },
    ]),
  ).toEqual([]);
});
