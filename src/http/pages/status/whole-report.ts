import type { AnyStatusReport, StatusReport } from "./report.ts";

/** `undefined` for the report of a user who sees only some servers. */
export function wholeReport(report: AnyStatusReport): StatusReport | undefined {
  const { build, process, configuration, leadership, metrics, otlp } = report;
  if (build === undefined || process === undefined || configuration === undefined) return undefined;
  if (leadership === undefined || metrics === undefined || otlp === undefined) return undefined;
  return { ...report, build, process, configuration, leadership, metrics, otlp };
}
