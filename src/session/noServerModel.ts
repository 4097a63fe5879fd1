import type { Model } from "../model/model.ts";
import { scriptedModel } from "../model/scriptedModel.ts";

/**
 * Stands in when no server is connected: a language model would have nothing to look at, and asking it would cost money
 * for a guess. It submits the report that says so.
 */
export function noServerModel(): Model {
  return scriptedModel({ id: "none", steps: () => ({ calls: [{ name: "report", arguments: report }] }) });
}

const report = {
  summary: "None of the configured servers is connected, so nothing was looked at.",
  verdict: "inconclusive",
  findings: [],
  next_steps: ["Run `korvus doctor` to see why each server does not answer."],
};
