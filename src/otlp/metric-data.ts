import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import type { InstrumentationScope } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type GaugeMetricData,
  type HistogramMetricData,
  type MetricData,
  type MetricDescriptor,
  type ResourceMetrics,
  type ScopeMetrics,
  type SumMetricData,
} from "@opentelemetry/sdk-metrics";
import { mapEntry } from "../lib/map-entry.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import { metricAttributes, metricName, metricUnit } from "./naming.ts";
import { SEMCONV_ATTRIBUTES } from "./semantic-conventions.ts";

/** The metrics of one request, resource by resource. */
export type MetricsRequest = readonly ResourceMetrics[];

/** A family as it is pushed; `labels` are the names of the attributes. */
export interface PushedFamily extends Pick<MetricFamily, "name" | "help" | "labels"> {
  /** In UCUM, for a family whose name is that of the metric; undefined: name and unit of the metric follow from its name. */
  readonly unit?: string;
}

type Family = Pick<PushedFamily, "name" | "help" | "unit">;

/** Gauges have no temporality; the type of the SDK asks for one all the same. */
const CUMULATIVE = { aggregationTemporality: AggregationTemporality.CUMULATIVE } as const;

/** A gauge without points yet. */
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

/** A gauge has no start; zero is the protocol's word for that. */
export const NO_START: HrTime = [0, 0];

/** One value of a series. Its attributes are put together when asked for, so that a large picture stays small. */
export class SeriesPoint implements DataPoint<number> {
  readonly family: PushedFamily;
  readonly labels: readonly string[];
  readonly value: number;
  readonly endTime: HrTime;

  /** `labels` are the values for those of the family, in that order. */
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
 * Says that a series has ended: a point with the flag NO_RECORDED_VALUE and without a value. The SDK knows no flags, so its
 * value is NaN, which no other point has, and the encodings make the flag of that.
 * @see https://opentelemetry.io/docs/specs/otel/metrics/data-model/#no-recorded-value
 */
export class EndPoint extends SeriesPoint {
  /** The series is one of measurements, which have their own times. */
  readonly isMeasured: boolean;
  /** Call when the receiver knows, or does not want to. */
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

/** What a point has besides its texts: times, a value, framing. */
const POINT_BYTES = 40;
/** The name of a label and its framing. */
const LABEL_BYTES = 20;

/** Roughly the bytes that a point takes on the wire; RequestSize knows how roughly. */
export function estimatePointSize(point: DataPoint<unknown>): number {
  if (point instanceof SeriesPoint) return estimateSize(point.labels);
  return estimateSize(Object.values(point.attributes).map(String)) + JSON.stringify(point.value).length;
}

function estimateSize(labels: readonly string[]): number {
  let bytes = POINT_BYTES + labels.length * LABEL_BYTES;
  for (const label of labels) bytes += label.length;
  return bytes;
}

/** A series as it is pushed. */
export interface PlacedSeries {
  readonly resource: Resource;
  readonly family: PushedFamily;
  /** Values for `family.labels`, in that order. */
  readonly labels: readonly string[];
}

export interface PlacedEnd {
  readonly resource: Resource;
  readonly point: EndPoint;
}

/** As a receiver tells series apart: by resource, metric and attributes, of which empty ones are none. */
export function seriesKey({ resource, family, labels }: PlacedSeries): string {
  const attributes = family.labels.flatMap((name, index) => (labels[index] ? [[name, labels[index]]] : []));
  return JSON.stringify([resource.attributes[SEMCONV_ATTRIBUTES.serviceInstanceId], family.name, attributes]);
}

/** Metrics of a scope that belong to a resource of their own, and not to that of the metric reader, which knows only one. */
export class ResourceScope implements ScopeMetrics {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly metrics: MetricData[];

  constructor(resource: Resource, scope: InstrumentationScope, metrics: MetricData[]) {
    this.resource = resource;
    this.scope = scope;
    this.metrics = metrics;
  }
}

/** Puts points together, resource by resource, and metric by metric: what differs in its unit is another metric. */
export class MetricsByResource {
  readonly #resources = new Map<Resource, Map<string, GaugeMetricData>>();
  /** A text is put together once, for hundreds of thousands of points. */
  readonly #keys = new Map<PushedFamily, string>();

  add(resource: Resource, family: PushedFamily, point: SeriesPoint): void {
    const metrics = mapEntry(this.#resources, resource, () => new Map<string, GaugeMetricData>());
    const key = mapEntry(this.#keys, family, () => `${family.name} ${family.unit ?? ""}`);
    mapEntry(metrics, key, () => gauge(family)).dataPoints.push(point);
  }

  /** In the order in which they came. */
  scopes(scope: InstrumentationScope): ResourceScope[] {
    return [...this.#resources].map(([resource, metrics]) => new ResourceScope(resource, scope, [...metrics.values()]));
  }
}
