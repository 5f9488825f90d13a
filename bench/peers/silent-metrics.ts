import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";

/** Its metrics are not shown: what the exporter tells of itself is not what is measured. */
export const UNSHOWN_RECORDER = serverRecorder(
  new ExporterMetrics({ version: "bench", revision: "" }, () => []),
  "bench",
);
