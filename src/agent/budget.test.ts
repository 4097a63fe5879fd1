import { expect, test } from "vitest";
import { budgetHit, budgetNearlyHit } from "./budget.ts";

const budget = { steps: 9, tokens: 1_000_000, time: 600_000, resultTokens: 1000 };
const use = { budget, steps: 1, tokens: 10, lastStepTokens: 10 };

test("what is said of the time is the same however long it took, since a report holds no reading of a clock", () => {
  const near = [510_000, 583_217].map((time) => budgetNearlyHit({ ...use, time }));
  const over = [600_000, 600_123].map((time) => budgetHit({ ...use, time }));

  expect(near).toEqual(near.map(() => ({ budget: "time", message: "85% of the time budget of 600s are used" })));
  expect(over).toEqual(over.map(() => ({ budget: "time", message: "The time budget of 600s is used up" })));
  expect(budgetNearlyHit({ ...use, time: 509_999 })).toBeUndefined();
});
