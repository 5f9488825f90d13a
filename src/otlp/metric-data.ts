import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type GaugeMetricData,
  type HistogramMetricData,
  type MetricDescriptor,
  type SumMetricData,
} from "@opentelemetry/sdk-metrics";
import type { MetricFamily } from "../mapping/metric-table.ts";
import { metricAttributes, metricName, metricUnit } from "./naming.ts";

type Family = Pick<MetricFamily, "name" | "help">;

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

function describeFamily({ name, help }: Family): MetricDescriptor {
  return { name: metricName(name), description: help, unit: metricUnit(name), valueType: ValueType.DOUBLE };
}

/** A gauge has no start; zero is the protocol's word for that. */
export const NO_START: HrTime = [0, 0];

/** One value of a series. Its attributes are put together when asked for, so that a large picture stays small. */
export class SeriesPoint implements DataPoint<number> {
  readonly family: MetricFamily;
  readonly labels: readonly string[];
  readonly value: number;
  readonly endTime: HrTime;

  /** `labels` are the values for those of the family, in that order. */
  constructor(family: MetricFamily, labels: readonly string[], value: number, endTime: HrTime) {
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
