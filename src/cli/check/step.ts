import type { ReadingName } from "../../collectors/readings.ts";
import type { DecodeProblem } from "../../prtg/decode/problems.ts";
import type { MonitoringApi } from "../../prtg/monitoring-api.ts";
import type { FinishedRequest } from "../../prtg/observer.ts";
import { PrometheusServerMetrics } from "../../telemetry/prometheus-server-metrics.ts";
import type { Finding, FindingStatus } from "./findings.ts";

/** What a step has to say when it did not fail. */
export type StepResult = Pick<Finding, "text" | "remedy"> & { readonly status?: Exclude<FindingStatus, "FAILED"> };

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
  return { status: "warning", text, remedy };
}

/** Keeps what the client reports while one step of the check runs. */
export class CheckObserver extends PrometheusServerMetrics {
  #problems = new Map<DecodeProblem, number>();
  #slowestMs = 0;

  /** What could not be read since this was last asked for. */
  takeProblems(): ReadonlyMap<DecodeProblem, number> {
    const problems = this.#problems;
    this.#problems = new Map();
    return problems;
  }

  /** The longest that an answer took so far, without the wait for the budget. */
  get slowestMs(): number {
    return this.#slowestMs;
  }

  override decodeProblem(problem: DecodeProblem, count: number): void {
    super.decodeProblem(problem, count);
    this.#problems.set(problem, (this.#problems.get(problem) ?? 0) + count);
  }

  override requestFinished(request: FinishedRequest): void {
    super.requestFinished(request);
    this.#slowestMs = Math.max(this.#slowestMs, request.durationMs);
  }
}
