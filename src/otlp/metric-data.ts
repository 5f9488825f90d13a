import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import type { InstrumentationScope } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type GaugeMetricData,
  type HistogramMetricData,
  type MetricDescriptor,
  type ResourceMetrics,
  type ScopeMetrics,
  type SumMetricData,
} from "@opentelemetry/sdk-metrics";
import { mapEntry } from "../lib/map-entry.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import { SEMCONV_ATTRIBUTES } from "./semantic-conventions.ts";

export type MetricsRequest = readonly ResourceMetrics[];

/** A family with its OTLP names. `labels` are the names of attributes. */
export interface PushedFamily extends Pick<MetricFamily, "name" | "help" | "labels"> {
  /** Unit in UCUM. `undefined`: name and unit follow from the family name. */
  readonly unit?: string;
}

type Family = Pick<PushedFamily, "name" | "help" | "unit">;

/** Gauges have no temporality, but the SDK's type requires one. */
const CUMULATIVE = { aggregationTemporality: AggregationTemporality.CUMULATIVE } as const;

/** A gauge without points. */
export function gauge(family: Family): GaugeMetricData {
  return { descriptor: describeFamily(family), ...CUMULATIVE, dataPointType: DataPointType.GAUGE, dataPoints: [] };
}

export function counter(family: Family): SumMetricData {
  const descriptor = describeFamily(family);
  return { descriptor, ...CUMULATIVE, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: [] };
}

export function histogram(family: Family): HistogramMetricData {
  return { descriptor: describeFamily(family), ...CUMULATIVE, dataPointType: DataPointType.HISTOGRAM, dataPoints: [] };
}

function describeFamily({ name, help, unit }: Family): MetricDescriptor {
  const named = unit === undefined ? { name: metricName(name), unit: metricUnit(name) } : { name, unit };
  return { ...named, description: help, valueType: ValueType.DOUBLE };
}

export const NO_START: HrTime = [0, 0];

/** One value of a series. Makes its attributes on demand to save memory. */
export class SeriesPoint implements DataPoint<number> {
  readonly family: PushedFamily;
  readonly labels: readonly string[];
  readonly value: number;
  readonly endTime: HrTime;

  /** @param labels Values for the labels of the family, in that order. */
  constructor(family: PushedFamily, labels: readonly string[], value: number, endTime: HrTime) {
    this.family = family;
    this.labels = labels;
    this.value = value;
    this.endTime = endTime;
  }

  get startTime(): HrTime {
    return NO_START;
  }

  get attributes(): Attributes {
    return metricAttributes(this.family.labels, this.labels);
  }
}

/** DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK */
export const NO_RECORDED_VALUE = 1;

/**
 * A staleness marker: a point with the flag NO_RECORDED_VALUE. The SDK knows no flags, so its value is NaN, and the
 * encodings turn that into the flag.
 * @see https://opentelemetry.io/docs/specs/otel/metrics/data-model/#no-recorded-value
 */
export class StalenessMarker extends SeriesPoint {
  /** The series has measurements with their own times. */
  readonly isMeasured: boolean;
  /** Call when the receiver accepted or rejected it. */
  readonly settled: () => void;

  constructor(
    { family, labels, endTime }: Pick<SeriesPoint, "family" | "labels" | "endTime">,
    isMeasured: boolean,
    settled: () => void,
  ) {
    super(family, labels, Number.NaN, endTime);
    this.isMeasured = isMeasured;
    this.settled = settled;
  }
}

const POINT_BYTES = 40;
const LABEL_BYTES = 20;

/** Estimates the bytes of a point on the wire. */
export function estimatePointSize(point: DataPoint<unknown>): number {
  if (point instanceof SeriesPoint) return estimateSize(point.labels);
  return estimateSize(Object.values(point.attributes).map(String)) + JSON.stringify(point.value).length;
}

function estimateSize(labels: readonly string[]): number {
  let bytes = POINT_BYTES + labels.length * LABEL_BYTES;
  for (const label of labels) bytes += label.length;
  return bytes;
}

/** A series with its resource and OTLP names. */
export interface PlacedSeries {
  readonly resource: Resource;
  readonly family: PushedFamily;
  readonly labels: readonly string[];
}

export interface PlacedMarker {
  readonly resource: Resource;
  readonly point: StalenessMarker;
}

/** Identifies a series as receivers do: resource, metric and attributes. An empty attribute counts as absent. */
export function seriesKey({ resource, family, labels }: PlacedSeries): string {
  const attributes = family.labels.flatMap((name, index) => (labels[index] ? [[name, labels[index]]] : []));
  return JSON.stringify([resource.attributes[SEMCONV_ATTRIBUTES.serviceInstanceId], family.name, attributes]);
}

/** Metrics of a scope with their own resource. The metric reader knows only one. */
export interface ResourceScope extends ScopeMetrics {
  readonly resource: Resource;
}

/** Groups points by resource, metric and unit. */
export class MetricsByResource {
  readonly #resources = new Map<Resource, Map<string, GaugeMetricData>>();
  /** Computed once per family, not per point. */
  readonly #keys = new Map<PushedFamily, string>();

  add(resource: Resource, family: PushedFamily, point: SeriesPoint): void {
    const metrics = mapEntry(this.#resources, resource, () => new Map<string, GaugeMetricData>());
    const key = mapEntry(this.#keys, family, () => `${family.name} ${family.unit ?? ""}`);
    mapEntry(metrics, key, () => gauge(family)).dataPoints.push(point);
  }

  scopes(scope: InstrumentationScope): ResourceScope[] {
    return [...this.#resources].map(([resource, metrics]) => ({ resource, scope, metrics: [...metrics.values()] }));
  }
}

/*
 * Names for scrape and push come from the metric table, so that a receiver that translates OTLP to Prometheus arrives
 * at the names of the scrape.
 */

/**
 * UCUM units by the last word of a metric name: the inverse of Prometheus' table. `ratio` is missing, because its unit
 * "1" would add `_ratio` to any gauge.
 * @see https://github.com/prometheus/otlptranslator
 */
const UNITS: Readonly<Record<string, string>> = {
  days: "d",
  hours: "h",
  minutes: "min",
  seconds: "s",
  milliseconds: "ms",
  microseconds: "us",
  nanoseconds: "ns",
  bytes: "By",
  kibibytes: "KiBy",
  mebibytes: "MiBy",
  gibibytes: "GiBy",
  tebibytes: "TiBy",
  meters: "m",
  volts: "V",
  amperes: "A",
  joules: "J",
  watts: "W",
  grams: "g",
  celsius: "Cel",
  hertz: "Hz",
  percent: "%",
};

/** `prtg_channel_value` is `prtg.channel_value`. */
export function metricName(family: string): string {
  return family.replace("_", ".");
}

/**
 * Set only if a receiver derives the last word of the name from it (before `_total`). Rates have none, because
 * translators would append `per_second` again.
 */
export function metricUnit(family: string): string {
  const words = family.replace(/_total$/, "").split("_");
  const last = words.at(-1) ?? "";
  return words.at(-2) === "per" || !Object.hasOwn(UNITS, last) ? "" : (UNITS[last] ?? "");
}

/** Leaves out empty values, which older versions of Prometheus store as labels. Lone surrogates become U+FFFD. */
export function metricAttributes(names: readonly string[], values: readonly string[]): Attributes {
  const attributes: Attributes = {};
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    const value = values[index];
    if (name === undefined || value === undefined || value === "") continue;
    attributes[name] = value.isWellFormed() ? value : value.toWellFormed();
  }
  return attributes;
}
