import type { RuleProblem } from "./rule.ts";

/** Takes a problem of one rule; `path` begins below the rule. Errors at values, unless it says otherwise. */
export type Report = (
  problem: Omit<RuleProblem, "source" | "severity" | "part"> & Partial<Pick<RuleProblem, "severity" | "part">>,
) => void;
