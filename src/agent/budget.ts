import type { Budget } from "../config/config.ts";
import type { BudgetHit } from "../report/report.ts";

/** What a run has used, beside what it may use. */
export interface BudgetUse {
  readonly budget: Budget;
  readonly steps: number;
  readonly tokens: number;
  /** Input and output of the last step: the next costs at least as much. */
  readonly lastStepTokens: number;
  /** ms. */
  readonly time: number;
  /** USD; absent where the model has no price. */
  readonly cost?: number;
}

/** Of the time and the cost, this share is left for the report. */
const reserve = 0.15;

/** The budget that is used up, if any. */
export function budgetHit({ budget, steps, tokens, time, cost }: BudgetUse): BudgetHit | undefined {
  if (steps >= budget.steps) return { budget: "steps", message: `All ${budget.steps} steps are used` };
  if (tokens >= budget.tokens) return { budget: "tokens", message: `${tokens} of ${budget.tokens} tokens are used` };
  if (time >= budget.time) return timeUsedUp(budget);
  if (budget.cost !== undefined && cost !== undefined && cost >= budget.cost) {
    return { budget: "cost", message: `${usd(cost)} of ${usd(budget.cost)} are spent` };
  }
  return undefined;
}

export function timeUsedUp({ time }: Budget): BudgetHit {
  return { budget: "time", message: `The time budget of ${seconds(time)} is used up` };
}

/** The budget that allows one more step and then no other, if any. */
export function budgetNearlyHit({
  budget,
  steps,
  tokens,
  lastStepTokens,
  time,
  cost,
}: BudgetUse): BudgetHit | undefined {
  if (steps + 1 >= budget.steps) return { budget: "steps", message: `This is the last of ${budget.steps} steps` };
  if (tokens + 2 * lastStepTokens >= budget.tokens) {
    return {
      budget: "tokens",
      message: `${tokens} of ${budget.tokens} tokens are used, and a step costs ${lastStepTokens}`,
    };
  }
  if (time >= budget.time * (1 - reserve)) {
    // The share, not the time: a report holds no reading of a clock.
    const share = Math.round((1 - reserve) * 100);
    return { budget: "time", message: `${share}% of the time budget of ${seconds(budget.time)} are used` };
  }
  if (budget.cost !== undefined && cost !== undefined && cost >= budget.cost * (1 - reserve)) {
    return { budget: "cost", message: `${usd(cost)} of ${usd(budget.cost)} are spent` };
  }
  return undefined;
}

const seconds = (ms: number) => `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))}s`;
const usd = (amount: number) => `$${amount.toFixed(2)}`;
