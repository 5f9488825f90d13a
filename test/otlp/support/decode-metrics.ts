import type { IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import {
  attributesOf,
  type JsonAttributes,
  type JsonResource,
  type JsonScope,
  only,
  originOf,
  parseRequest,
} from "./decode-request.ts";

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

interface ReceivedHistogram {
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
  /** Numbers as text. */
  readonly resource: Readonly<Record<string, string>>;
  readonly scope: { readonly name: string; readonly version: string };
  /** The scope's. */
  readonly schemaUrl?: string;
  readonly metrics: readonly ReceivedMetric[];
}

/** A received request, possibly compressed. */
export function decodeReceived(headers: IncomingHttpHeaders, body: Buffer): ReceivedBatch[] {
  const { "content-type": contentType = "", "content-encoding": encoding } = headers;
  return decodeMetrics(contentType, encoding === "gzip" ? gunzipSync(body) : body);
}

export function decodeMetrics(contentType: string, body: Buffer): ReceivedBatch[] {
  const { resourceMetrics = [] } = parseRequest("metrics", contentType, body) as JsonRequest;
  return resourceMetrics.map(({ resource, scopeMetrics }) => {
    const scope = only(scopeMetrics);
    const origin = originOf(resource, scope);
    const texts = Object.entries(origin.resource).map(([name, value]) => [name, String(value)]);
    return { ...origin, resource: Object.fromEntries(texts), metrics: (scope.metrics ?? []).map(metricOf) };
  });
}

interface JsonRequest {
  readonly resourceMetrics?: readonly {
    readonly resource: JsonResource;
    readonly scopeMetrics: readonly (JsonScope & { readonly metrics?: readonly JsonMetric[] })[];
  }[];
}

interface JsonMetric {
  readonly name: string;
  readonly description?: string;
  readonly unit?: string;
  readonly gauge?: JsonData;
  readonly sum?: JsonData;
  readonly histogram?: JsonData;
}

interface JsonData {
  readonly aggregationTemporality?: number;
  readonly isMonotonic?: boolean;
  readonly dataPoints: readonly JsonPoint[];
}

interface JsonPoint {
  readonly attributes: JsonAttributes;
  readonly startTimeUnixNano?: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly flags?: number;
  readonly count?: number | string;
  readonly sum?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}

function metricOf({ name, description = "", unit = "", gauge, sum, histogram }: JsonMetric): ReceivedMetric {
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
      attributes: textsOf(point.attributes),
      start: BigInt(point.startTimeUnixNano ?? 0),
      time: BigInt(point.timeUnixNano),
      ...(point.flags !== undefined && ended(point.flags, point.asDouble !== undefined)),
      value:
        histogram !== undefined ? histogramOf(point) : point.flags === undefined ? number(point.asDouble) : Number.NaN,
    })),
  };
}

function histogramOf({ count, sum, bucketCounts = [], explicitBounds = [] }: JsonPoint): ReceivedHistogram {
  return { count: number(Number(count)), sum: number(sum), counts: bucketCounts, bounds: explicitBounds };
}

function textsOf(attributes: JsonAttributes): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributesOf(attributes))) {
    if (typeof value !== "string") throw new Error(`${name} is no text`);
    texts[name] = value;
  }
  return texts;
}

function ended(flags: number, hasValue: boolean): { readonly ended: true } {
  if (flags !== 1 || hasValue) throw new Error(`flags ${flags} with${hasValue ? "" : "out"} a value`);
  return { ended: true };
}

function number(value: unknown): number {
  if (typeof value !== "number") throw new Error(`${value} is no number`);
  return value;
}
