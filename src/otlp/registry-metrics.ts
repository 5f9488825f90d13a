import type { HrTime } from "@opentelemetry/api";
import type { DataPoint, Histogram, MetricData } from "@opentelemetry/sdk-metrics";
import type { Registry } from "prom-client";
import { counter, gauge, histogram, NO_START } from "./metric-data.ts";
import { metricAttributes } from "./naming.ts";

type MetricJson = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>[number];
type ValueJson = MetricJson["values"][number] & { readonly metricName?: string };

/** When counting began, and now. */
export interface Span {
  readonly start: HrTime;
  readonly end: HrTime;
}

/** The exporter's own metrics: counters as monotonic cumulative sums, histograms as histograms, the rest as gauges. */
export async function registryMetrics(registry: Registry, span: Span): Promise<MetricData[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map((metric) => convert(metric, span)).filter(({ dataPoints }) => dataPoints.length > 0);
}

function convert(metric: MetricJson, span: Span): MetricData {
  // The declared type is a numeric enum, the value at run time its lower-case name.
  const type = String(metric.type);
  if (type === "counter") return { ...counter(metric), dataPoints: numberPoints(metric.values, span.start, span.end) };
  if (type === "histogram") return { ...histogram(metric), dataPoints: histogramPoints(metric, span) };
  return { ...gauge(metric), dataPoints: numberPoints(metric.values, NO_START, span.end) };
}

function numberPoints(values: readonly ValueJson[], startTime: HrTime, endTime: HrTime): DataPoint<number>[] {
  return (
    values
      // Gauges of Node say NaN before the first measurement, for which JSON has no word.
      .filter(({ value }) => Number.isFinite(value))
      .map(({ labels, value }) => ({ startTime, endTime, attributes: attributesOf(labels), value }))
  );
}

interface HistogramParts {
  readonly labels: ValueJson["labels"];
  readonly buckets: { readonly bound: number; readonly upTo: number }[];
  sum: number;
  count: number;
}

function histogramPoints(metric: MetricJson, { start, end }: Span): DataPoint<Histogram>[] {
  return [...gatherHistograms(metric)].map(({ labels, buckets, sum, count }) => {
    // The last bucket is the one that holds everything; OTLP has no bound for it.
    const finite = buckets.filter(({ bound }) => Number.isFinite(bound));
    const upTo = [...finite.map((bucket) => bucket.upTo), count];
    // Prometheus counts all below a bound, OTLP those between two bounds.
    const counts = upTo.map((all, index) => all - (upTo[index - 1] ?? 0));
    const value = { buckets: { boundaries: finite.map(({ bound }) => bound), counts }, sum, count };
    return { startTime: start, endTime: end, attributes: attributesOf(labels), value };
  });
}

/** prom-client lists the parts of its histograms one by one; those of one series have the same labels but `le`. */
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

function attributesOf(labels: ValueJson["labels"]) {
  const present = Object.entries(labels).filter(([, value]) => value !== undefined);
  return metricAttributes(
    present.map(([name]) => name),
    present.map(([, value]) => String(value)),
  );
}
