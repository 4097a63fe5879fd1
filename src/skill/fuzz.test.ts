import { expect, test } from "vitest";
import { fuzzSkills } from "../../test/fuzz/skills.ts";

test("5,000 mutated skill files give skills or SkillErrors, each within a second", () => {
  const { outcomes, findings } = fuzzSkills(5_000, 20_000_000);

  expect(findings).toEqual([]);
  expect(outcomes["skill"]).toBeGreaterThan(300);
});
