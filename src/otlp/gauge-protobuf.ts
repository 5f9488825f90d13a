import { type HrTime, ValueType } from "@opentelemetry/api";
import { DataPointType, type GaugeMetricData, type MetricData, type ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { codeUnitAt } from "../lib/text-units.ts";
import { type MetricsRequest, NO_RECORDED_VALUE, SeriesPoint, StalenessMarker } from "./metric-data.ts";

const SMALLEST_BUFFER = 4_096;
const MAX_VARINT = 5;
/** UTF-8 takes at most three bytes for one unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3;

/** Writes protobuf from its end to its beginning, so that the length of a message is known before it is written. */
export class BackwardWriter {
  #bytes: Buffer;
  #view: DataView;
  #at: number;

  /** @param expected Estimated bytes. The buffer grows if there are more. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(SMALLEST_BUFFER, Math.ceil(expected)));
    this.#view = viewOf(this.#bytes);
    this.#at = this.#bytes.length;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Call last: the writer must not be used afterwards. */
  finish(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  message(tag: number, write: () => void): void {
    const end = this.length;
    write();
    this.varint(this.length - end);
    this.byte(tag);
  }

  field(tag: number, text: string): void {
    const end = this.length;
    this.text(text);
    this.varint(this.length - end);
    this.byte(tag);
  }

  byte(value: number): void {
    this.#makeRoom(1);
    this.#bytes[--this.#at] = value;
  }

  /** @param value From 0 to below 2^32. */
  varint(value: number): void {
    this.#makeRoom(MAX_VARINT);
    if (value < 0x80) {
      this.#bytes[--this.#at] = value;
      return;
    }
    let size = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
    this.#at -= size;
    let left = value;
    for (let index = 0; index < size - 1; index++) {
      this.#bytes[this.#at + index] = (left & 0x7f) | 0x80;
      left >>>= 7;
    }
    this.#bytes[this.#at + size - 1] = left;
  }

  double(value: number): void {
    this.#makeRoom(8);
    this.#at -= 8;
    this.#view.setFloat64(this.#at, value, true);
  }

  fixed64(value: bigint): void {
    this.#makeRoom(8);
    this.#at -= 8;
    this.#view.setBigUint64(this.#at, value, true);
  }

  text(text: string): void {
    this.#makeRoom(text.length * MAX_BYTES_PER_UNIT);
    let at = this.#at;
    for (let index = text.length - 1; index >= 0; index--) {
      const code = codeUnitAt(text, index);
      if (code > 0x7f) {
        at = this.#at - Buffer.byteLength(text);
        this.#bytes.write(text, at);
        break;
      }
      this.#bytes[--at] = code;
    }
    this.#at = at;
  }

  #makeRoom(size: number): void {
    if (this.#at >= size) return;
    const grown = Buffer.allocUnsafeSlow(this.#bytes.length * 2 + size);
    const at = grown.length - this.length;
    grown.set(this.finish(), at);
    this.#bytes = grown;
    this.#view = viewOf(grown);
    this.#at = at;
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/* Tags (field number and wire type) from opentelemetry/proto: metrics.proto, common.proto, resource.proto. */
const REQUEST_RESOURCE_METRICS = 0x0a;
const RESOURCE_METRICS_RESOURCE = 0x0a;
const RESOURCE_METRICS_SCOPE_METRICS = 0x12;
const RESOURCE_METRICS_SCHEMA_URL = 0x1a;
const RESOURCE_ATTRIBUTES = 0x0a;
const RESOURCE_DROPPED_ATTRIBUTES = 0x10;
const SCOPE_METRICS_SCOPE = 0x0a;
const SCOPE_METRICS_METRICS = 0x12;
const SCOPE_METRICS_SCHEMA_URL = 0x1a;
const SCOPE_NAME = 0x0a;
const SCOPE_VERSION = 0x12;
const METRIC_NAME = 0x0a;
const METRIC_DESCRIPTION = 0x12;
const METRIC_UNIT = 0x1a;
const METRIC_GAUGE = 0x2a;
const GAUGE_POINTS = 0x0a;
const POINT_START = 0x11;
const POINT_TIME = 0x19;
const POINT_DOUBLE = 0x21;
const POINT_ATTRIBUTES = 0x3a;
const POINT_FLAGS = 0x40;
const KEY_VALUE_KEY = 0x0a;
const KEY_VALUE_VALUE = 0x12;
const ANY_VALUE_STRING = 0x0a;

const FRAME_BYTES = 2_000;
const POINT_BYTES = 30;
const TEXT_FRAME_BYTES = 4;
const HEADROOM = 1.1;

interface SeriesGauge extends GaugeMetricData {
  readonly dataPoints: SeriesPoint[];
}

/**
 * Encodes gauges with the same bytes as the SDK's serializer, but also flags, which staleness markers need. `undefined`
 * for any other request.
 */
export function gaugesAsProtobuf(request: MetricsRequest): Uint8Array | undefined {
  const batches: GaugeBatch[] = [];
  let expected = 0;
  for (const each of request) {
    const batch = gaugesOnly(each);
    if (batch === undefined) return undefined;
    batches.push(batch);
    expected += FRAME_BYTES + batch.metrics.reduce((sum, metric) => sum + bytesOf(metric), 0);
  }
  const writer = new BackwardWriter(expected);
  for (const batch of batches.reverse()) writeBatch(writer, batch);
  return writer.finish();
}

interface GaugeBatch {
  readonly attributes: readonly (readonly [string, string])[];
  readonly resourceSchema: string | undefined;
  readonly scope: ResourceMetrics["scopeMetrics"][number]["scope"];
  readonly metrics: readonly SeriesGauge[];
}

function gaugesOnly({ resource, scopeMetrics }: ResourceMetrics): GaugeBatch | undefined {
  const [scoped] = scopeMetrics;
  if (scoped === undefined || scopeMetrics.length > 1) return undefined;
  const { scope, metrics } = scoped;
  const attributes = Object.entries(resource.attributes);
  if (!metrics.every(isSeriesGauge) || !attributes.every(isText)) return undefined;
  return { attributes, resourceSchema: resource.schemaUrl, scope, metrics };
}

function writeBatch(writer: BackwardWriter, { attributes, resourceSchema, scope, metrics }: GaugeBatch): void {
  writer.message(REQUEST_RESOURCE_METRICS, () => {
    if (resourceSchema) writer.field(RESOURCE_METRICS_SCHEMA_URL, resourceSchema);
    writer.message(RESOURCE_METRICS_SCOPE_METRICS, () => {
      if (scope.schemaUrl) writer.field(SCOPE_METRICS_SCHEMA_URL, scope.schemaUrl);
      for (const metric of metrics.toReversed()) writeMetric(writer, metric);
      writer.message(SCOPE_METRICS_SCOPE, () => {
        if (scope.version) writer.field(SCOPE_VERSION, scope.version);
        writer.field(SCOPE_NAME, scope.name);
      });
    });
    writer.message(RESOURCE_METRICS_RESOURCE, () => {
      writer.varint(0);
      writer.byte(RESOURCE_DROPPED_ATTRIBUTES);
      for (const [key, value] of attributes.toReversed()) writeAttribute(writer, RESOURCE_ATTRIBUTES, key, value);
    });
  });
}

function bytesOf({ dataPoints }: SeriesGauge): number {
  const [point] = dataPoints;
  if (point === undefined) return 0;
  const texts = [...point.family.labels, ...point.labels];
  const bytes = texts.reduce((sum, text) => sum + text.length + TEXT_FRAME_BYTES, POINT_BYTES);
  return dataPoints.length * bytes * HEADROOM;
}

function isSeriesGauge(metric: MetricData): metric is SeriesGauge {
  return (
    metric.dataPointType === DataPointType.GAUGE &&
    metric.descriptor.valueType === ValueType.DOUBLE &&
    metric.dataPoints.every((point) => point instanceof SeriesPoint)
  );
}

function isText(attribute: [string, unknown]): attribute is [string, string] {
  return typeof attribute[1] === "string";
}

function writeMetric(writer: BackwardWriter, { descriptor, dataPoints }: SeriesGauge): void {
  const { name, description, unit } = descriptor;
  writer.message(SCOPE_METRICS_METRICS, () => {
    writer.message(METRIC_GAUGE, () => writePoints(writer, dataPoints));
    if (unit !== "") writer.field(METRIC_UNIT, unit);
    if (description !== "") writer.field(METRIC_DESCRIPTION, description);
    writer.field(METRIC_NAME, name);
  });
}

function writePoints(writer: BackwardWriter, points: readonly SeriesPoint[]): void {
  for (const point of points.toReversed()) {
    writer.message(GAUGE_POINTS, () => {
      const isMarker = point instanceof StalenessMarker;
      if (isMarker) {
        writer.varint(NO_RECORDED_VALUE);
        writer.byte(POINT_FLAGS);
      }
      const { labels: names } = point.family;
      for (let index = names.length - 1; index >= 0; index--) {
        const label = point.labels[index];
        if (label) writeAttribute(writer, POINT_ATTRIBUTES, names[index] ?? "", label);
      }
      if (!isMarker) {
        writer.double(point.value);
        writer.byte(POINT_DOUBLE);
      }
      writer.fixed64(toNanoseconds(point.endTime));
      writer.byte(POINT_TIME);
      writer.fixed64(0n);
      writer.byte(POINT_START);
    });
  }
}

function toNanoseconds([seconds, nanoseconds]: HrTime): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);
}

function writeAttribute(writer: BackwardWriter, tag: number, key: string, value: string): void {
  const end = writer.length;
  writer.text(value);
  writer.varint(writer.length - end);
  writer.byte(ANY_VALUE_STRING);
  writer.varint(writer.length - end);
  writer.byte(KEY_VALUE_VALUE);
  writer.field(KEY_VALUE_KEY, key);
  writer.varint(writer.length - end);
  writer.byte(tag);
}
