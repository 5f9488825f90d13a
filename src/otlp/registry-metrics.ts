import type { Attributes, HrTime } from "@opentelemetry/api";
import { type InstrumentationScope, millisToHrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { DataPoint, Histogram, MetricData } from "@opentelemetry/sdk-metrics";
import type { Registry } from "prom-client";
import { PRTG_ATTRIBUTES } from "../events/event.ts";
import {
  counter,
  gauge,
  histogram,
  type MetricsRequest,
  metricAttributes,
  NO_START,
  type PushedFamily,
  SeriesPoint,
} from "./metric-data.ts";
import { otelMetric } from "./otel-family.ts";

type MetricJson = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>[number];
type ValueJson = MetricJson["values"][number] & { readonly metricName?: string };

export interface Span {
  readonly start: HrTime;
  readonly end: HrTime;
}

/** Names of the exporter's own metrics and attributes. */
export interface ExporterNaming {
  readonly family: (metric: ExporterFamily) => Pick<PushedFamily, "name" | "help" | "unit">;
  readonly attribute: (label: string, family: string) => string;
}

type ExporterFamily = Pick<MetricJson, "name" | "help">;

export const PROMETHEUS_NAMING: ExporterNaming = {
  family: ({ name, help }) => ({ name, help }),
  attribute: (label) => label,
};

export const OTEL_NAMING: ExporterNaming = {
  family: ({ name, help }) => (isOurs(name) ? { ...otelMetric(name.replace(/_total$/, "")), help } : { name, help }),
  attribute: (label, family) => {
    if (!isOurs(family)) return label;
    return label === "server" ? PRTG_ATTRIBUTES.serverName : `prtg.exporter.${label}`;
  },
};

function isOurs(family: string): boolean {
  return family.startsWith("prtg_");
}

/** The exporter's own metrics: counters as monotonic cumulative sums, histograms as histograms, others as gauges. */
export async function registryMetrics(
  registry: Registry,
  span: Span,
  naming: ExporterNaming = PROMETHEUS_NAMING,
): Promise<MetricData[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map((metric) => convert(metric, span, naming)).filter(({ dataPoints }) => dataPoints.length > 0);
}

function convert(metric: MetricJson, { start, end }: Span, naming: ExporterNaming): MetricData {
  const family = naming.family(metric);
  const attributes: AttributesOf = (labels) => attributesOf(labels, (label) => naming.attribute(label, metric.name));
  // The declared type is a numeric enum, but the value is its lower-case name.
  const type = String(metric.type);
  if (type === "counter") {
    return { ...counter(family), dataPoints: numberPoints(metric.values, start, end, attributes) };
  }
  if (type === "histogram")
    return { ...histogram(family), dataPoints: histogramPoints(metric, start, end, attributes) };
  return { ...gauge(family), dataPoints: numberPoints(metric.values, NO_START, end, attributes) };
}

type AttributesOf = (labels: ValueJson["labels"]) => Attributes;

function numberPoints(
  values: readonly ValueJson[],
  startTime: HrTime,
  endTime: HrTime,
  attributes: AttributesOf,
): DataPoint<number>[] {
  return (
    values
      // Gauges of Node.js are NaN before the first measurement.
      .filter(({ value }) => Number.isFinite(value))
      .map(({ labels, value }) => ({ startTime, endTime, attributes: attributes(labels), value }))
  );
}

interface HistogramParts {
  readonly labels: ValueJson["labels"];
  readonly buckets: { readonly bound: number; readonly upTo: number }[];
  sum: number;
  count: number;
}

function histogramPoints(
  metric: MetricJson,
  startTime: HrTime,
  endTime: HrTime,
  attributes: AttributesOf,
): DataPoint<Histogram>[] {
  return [...gatherHistograms(metric)].map(({ labels, buckets, sum, count }) => {
    // OTLP has no bound for the last bucket.
    const finite = buckets.filter(({ bound }) => Number.isFinite(bound));
    const upTo = [...finite.map((bucket) => bucket.upTo), count];
    // Prometheus counts cumulatively, OTLP per bucket.
    const counts = upTo.map((all, index) => all - (upTo[index - 1] ?? 0));
    const value = { buckets: { boundaries: finite.map(({ bound }) => bound), counts }, sum, count };
    return { startTime, endTime, attributes: attributes(labels), value };
  });
}

/** prom-client lists the parts of histograms one by one, with equal labels except `le`. */
function gatherHistograms({ name, values }: MetricJson): Iterable<HistogramParts> {
  const series = new Map<string, HistogramParts>();
  for (const { labels, value, metricName } of values as readonly ValueJson[]) {
    const { le, ...rest } = labels;
    const key = JSON.stringify(rest);
    const parts = series.get(key) ?? { labels: rest, buckets: [], sum: 0, count: 0 };
    series.set(key, parts);
    if (metricName === `${name}_sum`) parts.sum = value;
    else if (metricName === `${name}_count`) parts.count = value;
    else parts.buckets.push({ bound: le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le), upTo: value });
  }
  return series.values();
}

function attributesOf(labels: ValueJson["labels"], nameOf: (label: string) => string): Attributes {
  const present = Object.entries(labels).filter(([, value]) => value !== undefined);
  return metricAttributes(
    present.map(([name]) => nameOf(name)),
    present.map(([, value]) => String(value)),
  );
}

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
