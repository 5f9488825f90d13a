import type { ReadingName } from "../../collectors/failures.ts";
import { oneLine } from "../../lib/printable-text.ts";
import type { DecodeProblem } from "../../prtg/decode-problems.ts";
import type { MonitoringApi } from "../../prtg/monitoring-api.ts";
import type { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import { type ServerRecorder, serverRecorder } from "../../telemetry/recorders.ts";
import type { FinishedRequest } from "../../telemetry/run-trace.ts";

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
    decodeProblem(problem: DecodeProblem, count: number) {
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

/** `warning`: serve works, but perhaps not as intended. `skipped`: after an earlier failure. */
export type FindingStatus = "ok" | "warning" | "FAILED" | "skipped";

export interface Finding {
  readonly server: string;
  readonly subject: string;
  readonly status: FindingStatus;
  readonly text: string;
  /** `undefined`: nothing to do. */
  readonly remedy?: string;
}

const MAX_STATUS_LENGTH = "warning".length;

export function findingsTable(servers: readonly string[], subjects: readonly string[]): (finding: Finding) => string {
  const serverWidth = widthOf(servers);
  const subjectWidth = widthOf(subjects);
  return ({ server, subject, status, text, remedy }) => {
    const columns = [
      oneLine(server).padEnd(serverWidth),
      subject.padEnd(subjectWidth),
      status.padEnd(MAX_STATUS_LENGTH),
      oneLine(text),
    ];
    return columns.join("  ").concat(remedy === undefined ? "" : ` -> ${oneLine(remedy)}`);
  };
}

/** @param checksSync `sync` was tested, too. */
export function concludeFindings(findings: readonly Finding[], checksSync = false): string {
  const failed = Map.groupBy(
    findings.filter(({ status }) => status === "FAILED"),
    ({ server }) => server,
  );
  if (failed.size > 0) {
    const servers = [...failed].map(
      ([server, each]) => `${oneLine(server)} (${each.map(({ subject }) => subject).join(", ")})`,
    );
    return `FAILED: ${servers.join("; ")}`;
  }
  const ok = `ok: everything that ${checksSync ? "serve and sync need" : "serve needs"} works`;
  return findings.some(({ status }) => status === "warning") ? `${ok}, with the warnings above` : ok;
}

function widthOf(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => oneLine(text).length));
}
