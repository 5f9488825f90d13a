import type { Attributes, HrTime } from "@opentelemetry/api";
import type { DataPoint } from "@opentelemetry/sdk-metrics";
import type { MetricFamily } from "../mapping/metric-table.ts";
import { metricAttributes } from "./vocabulary.ts";

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
