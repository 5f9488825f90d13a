import type { ReadingName } from "../../collectors/readings.ts";
import type { DecodeProblem } from "../../prtg/decode/problems.ts";
import type { MonitoringApi } from "../../prtg/monitoring-api.ts";
import type { Finding, Verdict } from "../findings-table.ts";

/** What a step has to say when it did not fail. */
export type StepResult = Pick<Finding, "text" | "remedy"> & { readonly verdict?: Exclude<Verdict, "FAILED"> };

export interface StepTools {
  readonly api: MonitoringApi;
  readonly signal: AbortSignal;
  /** What could not be read since the step began. */
  readonly problems: () => ReadonlyMap<DecodeProblem, number>;
}

/** One thing to try. */
export interface Step {
  readonly subject: string;
  /** What it reads: whether `serve` goes on after a failure, and without what, is said there. */
  readonly reading?: ReadingName;
  /** What `serve` goes without after any failure, where it is an extra of its own. */
  readonly without?: string;
  /** What to do when `serve` goes on without it, instead of what the failure says. */
  readonly remedy?: string;
  readonly run: (tools: StepTools) => Promise<StepResult>;
}

export function ok(text: string): StepResult {
  return { text };
}

export function warning(text: string, remedy: string): StepResult {
  return { verdict: "warning", text, remedy };
}
