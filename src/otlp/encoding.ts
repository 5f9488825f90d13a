import {
  type IExportLogsServiceResponse,
  type IExportMetricsServiceResponse,
  type ISerializer,
  JsonLogsSerializer,
  JsonMetricsSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
} from "@opentelemetry/otlp-transformer";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";
import type { OtlpProtocol } from "./environment.ts";
import { gaugesAsProtobuf } from "./gauge-protobuf.ts";
import { EndPoint, type MetricsRequest, NO_RECORDED_VALUE } from "./metric-data.ts";

/** What a receiver says of a request that it took: how much of it it refused for good, and why. As it came. */
export interface PartialSuccess {
  /** In JSON a 64-bit number is a text. */
  readonly rejected?: unknown;
  readonly errorMessage?: unknown;
}

/** How requests and answers of one signal look on the wire. */
export interface Encoding<Request> {
  /** Throws what the serializer throws. */
  readonly encode: (request: Request) => Uint8Array;
  /** Throws when the body is none of the protocol's. */
  readonly decode: (answer: Uint8Array) => PartialSuccess | undefined;
}

export type Encodings<Request> = Readonly<Record<OtlpProtocol, Encoding<Request>>>;

/** The serializers that the SDK's own exporters use, and for what is nearly all that is sent a quicker one of the same result. */
export const METRIC_ENCODINGS: Encodings<MetricsRequest> = {
  "http/protobuf": {
    encode: (request) => gaugesAsProtobuf(request) ?? joined(request.map(resourceAsProtobuf)),
    decode: (answer) => ofMetrics(ProtobufMetricsSerializer.deserializeResponse(answer)),
  },
  "http/json": {
    encode: (request) => joinedJson(request.map(resourceAsJson)),
    decode: (answer) => ofMetrics(JsonMetricsSerializer.deserializeResponse(answer)),
  },
};

export const LOG_ENCODINGS: Encodings<ReadableLogRecord[]> = {
  "http/protobuf": {
    encode: (request) => serialize(ProtobufLogsSerializer, request),
    decode: (answer) => ofLogs(ProtobufLogsSerializer.deserializeResponse(answer)),
  },
  "http/json": {
    encode: (request) => serialize(JsonLogsSerializer, request),
    decode: (answer) => ofLogs(JsonLogsSerializer.deserializeResponse(answer)),
  },
};

function resourceAsProtobuf(metrics: ResourceMetrics): Uint8Array {
  return gaugesAsProtobuf([metrics]) ?? serialize(ProtobufMetricsSerializer, withoutEnds(metrics));
}

function resourceAsJson(metrics: ResourceMetrics): Uint8Array {
  const body = serialize(JsonMetricsSerializer, metrics);
  return hasEnds(metrics) ? withFlags(body) : body;
}

/** The serializers know requests of one resource. One message after the other is, in protobuf, one with the fields of all. */
function joined(bodies: readonly Uint8Array[]): Uint8Array {
  const [first] = bodies;
  return bodies.length === 1 && first !== undefined ? first : Buffer.concat(bodies);
}

const JSON_HEAD = '{"resourceMetrics":[';
const JSON_TAIL = "]}";

/** What they write of one resource stands between the same head and tail. */
function joinedJson(bodies: readonly Uint8Array[]): Uint8Array {
  if (bodies.length === 1) return joined(bodies);
  const comma = Buffer.from(",");
  const resources = bodies.map((body) => body.subarray(JSON_HEAD.length, body.length - JSON_TAIL.length));
  const parts = resources.flatMap((resource, index) => (index === 0 ? [resource] : [comma, resource]));
  return Buffer.concat([Buffer.from(JSON_HEAD), ...parts, Buffer.from(JSON_TAIL)]);
}

/** Ends of series travel in requests of their own. */
function hasEnds({ scopeMetrics }: ResourceMetrics): boolean {
  return scopeMetrics.some(({ metrics }) => metrics.some(({ dataPoints }) => dataPoints[0] instanceof EndPoint));
}

/** @throws TypeError for ends of series, which the SDK's serializer would take for values. */
function withoutEnds(request: ResourceMetrics): ResourceMetrics {
  if (hasEnds(request)) throw new TypeError("ends of series can only be encoded with texts for attributes");
  return request;
}

/**
 * The serializer knows no flags and writes null for the NaN of an end. What is replaced cannot be part of a text: its second quote
 * would have a backslash before it.
 */
function withFlags(body: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(body).toString().replaceAll('"asDouble":null', `"flags":${NO_RECORDED_VALUE}`));
}

function serialize<Request, Response>(serializer: ISerializer<Request, Response>, request: Request): Uint8Array {
  return serializer.serializeRequest(request) ?? new Uint8Array();
}

function ofMetrics(answer: IExportMetricsServiceResponse | undefined): PartialSuccess | undefined {
  const success = answer?.partialSuccess;
  return success && { rejected: success.rejectedDataPoints, errorMessage: success.errorMessage };
}

function ofLogs(answer: IExportLogsServiceResponse | undefined): PartialSuccess | undefined {
  const success = answer?.partialSuccess;
  return success && { rejected: success.rejectedLogRecords, errorMessage: success.errorMessage };
}
