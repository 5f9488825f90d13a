import type { DecodeProblem } from "../../prtg/decode/problems.ts";
import type { FinishedRequest } from "../../prtg/observer.ts";
import { PrometheusServerMetrics } from "../../telemetry/prometheus-server-metrics.ts";

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
