import { type InstrumentationScope, millisToHrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import { gauge, type MetricsRequest, SeriesPoint } from "./metric-data.ts";
import type { ExporterNaming } from "./registry-metrics.ts";

/** A series of its own, because a receiver may refuse a point that is older than the last one of its series. */
const PROBE = {
  name: "prtg_exporter_otlp_probe",
  help: "Always 1. Sent after a rejected request, to find out whether the receiver accepts anything.",
};

export interface ProbeOptions {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly naming: ExporterNaming;
}

/** A request with one point that any working receiver accepts. */
export function probeRequest({ resource, scope, naming }: ProbeOptions, nowMs: number): MetricsRequest {
  const family = { ...naming.family(PROBE), labels: [] };
  const dataPoints = [new SeriesPoint(family, [], 1, millisToHrTime(nowMs))];
  return [{ resource, scopeMetrics: [{ scope, metrics: [{ ...gauge(family), dataPoints }] }] }];
}
