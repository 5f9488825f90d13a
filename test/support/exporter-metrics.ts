import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";

/** Without series. */
export function emptyMetrics(): ExporterMetrics {
  return new ExporterMetrics({ version: "1.2.3", revision: "abc" }, () => []);
}
