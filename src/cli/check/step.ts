import type { ReadingName } from "../../collectors/failures.ts";
import type { DecodeProblem } from "../../prtg/decode-problems.ts";
import type { MonitoringApi } from "../../prtg/monitoring-api.ts";
import type { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import { type ServerRecorder, serverRecorder } from "../../telemetry/recorders.ts";
import type { FinishedRequest } from "../../telemetry/run-trace.ts";
import type { Finding, FindingStatus } from "./findings.ts";

export type StepResult = Pick<Finding, "text" | "remedy"> & { readonly status?: Exclude<FindingStatus, "FAILED"> };

export interface StepTools {
  readonly api: MonitoringApi;
  readonly signal: AbortSignal;
  readonly problems: () => ReadonlyMap<DecodeProblem, number>;
}

export interface Step {
  readonly subject: string;
  /** Determines whether `serve` continues after a failure. */
  readonly reading?: ReadingName;
  /** What `serve` lacks after a failure of an optional step. */
  readonly without?: string;
  /** Remedy if `serve` continues. Default: the failure's. */
  readonly remedy?: string;
  readonly run: (tools: StepTools) => Promise<StepResult>;
}

export function ok(text: string, remedy?: string): StepResult {
  return remedy === undefined ? { text } : { text, remedy };
}

export function warning(text: string, remedy: string): StepResult {
  return { status: "warning", text, remedy };
}

export interface CheckRecorder extends ServerRecorder {
  takeProblems(): ReadonlyMap<DecodeProblem, number>;
  /** Longest request, milliseconds, without waiting for the budget. */
  slowestMs(): number;
}

export function checkRecorder(metrics: ExporterMetrics, server: string): CheckRecorder {
  const recorder = serverRecorder(metrics, server);
  let problems = new Map<DecodeProblem, number>();
  let slowestMs = 0;
  return {
    ...recorder,
    decodeProblem(problem: DecodeProblem, count = 1) {
      recorder.decodeProblem(problem, count);
      problems.set(problem, (problems.get(problem) ?? 0) + count);
    },
    requestFinished(request: FinishedRequest) {
      recorder.requestFinished(request);
      slowestMs = Math.max(slowestMs, request.durationMs);
    },
    takeProblems() {
      const taken = problems;
      problems = new Map();
      return taken;
    },
    slowestMs: () => slowestMs,
  };
}
