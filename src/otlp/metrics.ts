import { ValueType } from "@opentelemetry/api";
import {
  AggregationTemporality,
  DataPointType,
  type GaugeMetricData,
  type HistogramMetricData,
  type MetricDescriptor,
  type SumMetricData,
} from "@opentelemetry/sdk-metrics";
import type { MetricFamily } from "../mapping/metric-table.ts";
import { metricName, metricUnit } from "./vocabulary.ts";

/*
 * Metrics without points yet, as the SDK's serializers want them. Gauges have no temporality; the SDK's type asks for
 * one all the same.
 */

type Family = Pick<MetricFamily, "name" | "help">;

const CUMULATIVE = { aggregationTemporality: AggregationTemporality.CUMULATIVE } as const;

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
