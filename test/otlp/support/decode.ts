import type { IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import { double, integer, type Message, messages, packed, readMessage, text, toDouble } from "./protobuf.ts";

/* JSON and protobuf (opentelemetry/proto/metrics/v1). */

export interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, string>>;
  /** Nanoseconds since the epoch. */
  readonly start: bigint;
  readonly time: bigint;
  /** NaN: no value. */
  readonly value: number | ReceivedHistogram;
  /** Flag NO_RECORDED_VALUE: the series has ended. */
  readonly ended?: true;
}

export interface ReceivedHistogram {
  readonly count: number;
  readonly sum: number;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

export interface ReceivedMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly type: "gauge" | "sum" | "histogram";
  /** 2: cumulative. */
  readonly temporality: number;
  readonly monotonic: boolean;
  readonly points: readonly ReceivedPoint[];
}

export interface ReceivedBatch {
  readonly resource: Readonly<Record<string, string>>;
  readonly scope: { readonly name: string; readonly version: string };
  /** The scope's. */
  readonly schemaUrl?: string;
  readonly metrics: readonly ReceivedMetric[];
}

/** A received request, possibly compressed. */
export function decodeReceived(headers: IncomingHttpHeaders, body: Buffer): ReceivedBatch[] {
  const { "content-type": contentType = "", "content-encoding": encoding } = headers;
  return decodeRequest(contentType, encoding === "gzip" ? gunzipSync(body) : body);
}

export function decodeRequest(contentType: string, body: Buffer): ReceivedBatch[] {
  if (contentType === "application/x-protobuf") return messages(readMessage(body), 1).map(protobufBatch);
  if (contentType !== "application/json") throw new Error(`content type ${contentType}`);
  const request: JsonRequest = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  return request.resourceMetrics.map(jsonBatch);
}

function protobufBatch(resourceMetrics: Message): ReceivedBatch {
  const [scopeMetrics, ...more] = messages(resourceMetrics, 2);
  if (scopeMetrics === undefined || more.length > 0) throw new Error("expected one scope");
  const [scope] = messages(scopeMetrics, 1);
  const [resource] = messages(resourceMetrics, 1);
  return {
    resource: resource === undefined ? {} : protobufAttributes(resource, 1),
    scope: { name: scope === undefined ? "" : text(scope, 1), version: scope === undefined ? "" : text(scope, 2) },
    ...(scopeMetrics.has(3) && { schemaUrl: text(scopeMetrics, 3) }),
    metrics: messages(scopeMetrics, 2).map(protobufMetric),
  };
}

function protobufMetric(metric: Message): ReceivedMetric {
  const head = { name: text(metric, 1), description: text(metric, 2), unit: text(metric, 3) };
  const [gauge] = messages(metric, 5);
  const [sum] = messages(metric, 7);
  const [histogram] = messages(metric, 9);
  const data = gauge ?? sum ?? histogram;
  if (data === undefined) throw new Error(`${head.name} has no data`);
  return {
    ...head,
    type: gauge !== undefined ? "gauge" : sum !== undefined ? "sum" : "histogram",
    temporality: gauge !== undefined ? 0 : Number(integer(data, 2)),
    monotonic: sum !== undefined && integer(sum, 3) === 1n,
    points: messages(data, 1).map((point) => ({
      attributes: protobufAttributes(point, histogram === undefined ? 7 : 9),
      start: integer(point, 2),
      time: integer(point, 3),
      ...(point.has(8) && ended(integer(point, 8), point.has(4))),
      value: histogram !== undefined ? protobufHistogram(point) : point.has(8) ? Number.NaN : double(point, 4),
    })),
  };
}

function protobufHistogram(point: Message): ReceivedHistogram {
  return {
    count: Number(integer(point, 4)),
    sum: double(point, 5),
    counts: packed(point, 6).map(Number),
    bounds: packed(point, 7).map(toDouble),
  };
}

function protobufAttributes(message: Message, field: number): Record<string, string> {
  const pairs = messages(message, field).map((pair): [string, string] => {
    const [value] = messages(pair, 2);
    return [text(pair, 1), value === undefined ? "" : text(value, 1)];
  });
  return once(pairs);
}

interface JsonRequest {
  readonly resourceMetrics: readonly JsonResourceMetrics[];
}
interface JsonResourceMetrics {
  readonly resource: { readonly attributes: readonly JsonAttribute[] };
  readonly scopeMetrics: readonly {
    readonly scope: { readonly name: string; readonly version?: string };
    readonly schemaUrl?: string;
    readonly metrics: readonly JsonMetric[];
  }[];
}
interface JsonAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}
interface JsonData {
  readonly aggregationTemporality?: number;
  readonly isMonotonic?: boolean;
  readonly dataPoints: readonly JsonPoint[];
}
interface JsonMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly gauge?: JsonData;
  readonly sum?: JsonData;
  readonly histogram?: JsonData;
}
interface JsonPoint {
  readonly attributes: readonly JsonAttribute[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly flags?: number;
  readonly count?: number;
  readonly sum?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}

function jsonBatch({ resource, scopeMetrics }: JsonResourceMetrics): ReceivedBatch {
  const [first, ...more] = scopeMetrics;
  if (first === undefined || more.length > 0) throw new Error("expected one scope");
  return {
    resource: jsonAttributes(resource.attributes),
    scope: { name: first.scope.name, version: first.scope.version ?? "" },
    ...(first.schemaUrl !== undefined && { schemaUrl: first.schemaUrl }),
    metrics: first.metrics.map(jsonMetric),
  };
}

function jsonMetric({ name, description, unit, gauge, sum, histogram }: JsonMetric): ReceivedMetric {
  const data = gauge ?? sum ?? histogram;
  if (data === undefined) throw new Error(`${name} has no data`);
  return {
    name,
    description,
    unit,
    type: gauge !== undefined ? "gauge" : sum !== undefined ? "sum" : "histogram",
    temporality: data.aggregationTemporality ?? 0,
    monotonic: data.isMonotonic ?? false,
    points: data.dataPoints.map((point) => ({
      attributes: jsonAttributes(point.attributes),
      start: BigInt(point.startTimeUnixNano),
      time: BigInt(point.timeUnixNano),
      ...(point.flags !== undefined && ended(point.flags, point.asDouble !== undefined)),
      value:
        histogram !== undefined
          ? jsonHistogram(point)
          : point.flags === undefined
            ? number(point.asDouble)
            : Number.NaN,
    })),
  };
}

function jsonHistogram(point: JsonPoint): ReceivedHistogram {
  const { count, sum, bucketCounts = [], explicitBounds = [] } = point;
  return { count: number(count), sum: number(sum), counts: bucketCounts, bounds: explicitBounds };
}

function jsonAttributes(attributes: readonly JsonAttribute[]): Record<string, string> {
  return once(attributes.map(({ key, value }): [string, string] => [key, value.stringValue]));
}

function ended(flags: number | bigint, hasValue: boolean): { readonly ended: true } {
  if (Number(flags) !== 1 || hasValue) throw new Error(`flags ${flags} with${hasValue ? "" : "out"} a value`);
  return { ended: true };
}

function number(value: unknown): number {
  if (typeof value !== "number") throw new Error(`${value} is no number`);
  return value;
}

function once(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const record = Object.fromEntries(pairs);
  if (Object.keys(record).length !== pairs.length) throw new Error("an attribute twice");
  return record;
}
