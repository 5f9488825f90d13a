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
  const pointsOf = <Value>(values: readonly Labelled<Value>[], startTime: HrTime): DataPoint<Value>[] =>
    values.map(({ labels, value }) => {
      const attributes = attributesOf(labels, (label) => naming.attribute(label, metric.name));
      return { startTime, endTime: end, attributes, value };
    });
  // The declared type is a numeric enum, but the value is its lower-case name.
  const type = String(metric.type);
  if (type === "histogram") return { ...histogram(family), dataPoints: pointsOf(histogramsOf(metric), start) };
  // Gauges of Node.js are NaN before the first measurement.
  const values = metric.values.filter(({ value }) => Number.isFinite(value));
  if (type === "counter") return { ...counter(family), dataPoints: pointsOf(values, start) };
  return { ...gauge(family), dataPoints: pointsOf(values, NO_START) };
}

interface Labelled<Value> {
  readonly labels: ValueJson["labels"];
  readonly value: Value;
}

/** prom-client lists the parts of histograms one by one, with equal labels except `le`. */
function histogramsOf({ name, values }: MetricJson): readonly Labelled<Histogram>[] {
  const series = Map.groupBy(values as readonly ValueJson[], ({ labels: { le: _, ...rest } }) => JSON.stringify(rest));
  return [...series.values()].map((parts) => {
    const partOf = (part: string) => parts.find(({ metricName }) => metricName === `${name}_${part}`)?.value ?? 0;
    // OTLP has no bound for the last bucket.
    const finite = parts.filter(({ labels: { le } }) => le !== undefined && le !== "+Inf");
    const count = partOf("count");
    const upTo = [...finite.map(({ value }) => value), count];
    // Prometheus counts cumulatively, OTLP per bucket.
    const counts = upTo.map((all, index) => all - (upTo[index - 1] ?? 0));
    const boundaries = finite.map(({ labels }) => Number(labels.le));
    const { le: _, ...labels } = parts[0]?.labels ?? {};
    return { labels, value: { buckets: { boundaries, counts }, sum: partOf("sum"), count } };
  });
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
