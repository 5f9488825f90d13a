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
import { type MetricsRequest, NO_RECORDED_VALUE, StalenessMarker } from "./metric-data.ts";

/** What the receiver rejected permanently, as decoded. */
export interface PartialSuccess {
  readonly rejected?: unknown;
  readonly errorMessage?: unknown;
}

export interface Encoding<Request> {
  /** Throws the errors of the serializer. */
  readonly encode: (request: Request) => Uint8Array;
  /** Throws if the body is not of the protocol. */
  readonly decode: (answer: Uint8Array) => PartialSuccess | undefined;
}

export type Encodings<Request> = Readonly<Record<OtlpProtocol, Encoding<Request>>>;

/** The SDK's serializers, and a faster one with the same bytes for gauges. */
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
  return gaugesAsProtobuf([metrics]) ?? serialize(ProtobufMetricsSerializer, withoutMarkers(metrics));
}

function resourceAsJson(metrics: ResourceMetrics): Uint8Array {
  const body = serialize(JsonMetricsSerializer, metrics);
  return hasMarkers(metrics) ? withFlags(body) : body;
}

/** Protobuf messages can be concatenated: the result has the fields of all. */
function joined(bodies: readonly Uint8Array[]): Uint8Array {
  const [first] = bodies;
  return bodies.length === 1 && first !== undefined ? first : Buffer.concat(bodies);
}

const JSON_HEAD = '{"resourceMetrics":[';
const JSON_TAIL = "]}";

/** Each body has the same head and tail. */
function joinedJson(bodies: readonly Uint8Array[]): Uint8Array {
  if (bodies.length === 1) return joined(bodies);
  const comma = Buffer.from(",");
  const resources = bodies.map((body) => body.subarray(JSON_HEAD.length, body.length - JSON_TAIL.length));
  const parts = resources.flatMap((resource, index) => (index === 0 ? [resource] : [comma, resource]));
  return Buffer.concat([Buffer.from(JSON_HEAD), ...parts, Buffer.from(JSON_TAIL)]);
}

/** Staleness markers have requests of their own. */
function hasMarkers({ scopeMetrics }: ResourceMetrics): boolean {
  return scopeMetrics.some(({ metrics }) => metrics.some(({ dataPoints }) => dataPoints[0] instanceof StalenessMarker));
}

/** @throws TypeError for staleness markers, which the SDK would encode as values */
function withoutMarkers(request: ResourceMetrics): ResourceMetrics {
  if (hasMarkers(request)) throw new TypeError("series ends need text values for attributes");
  return request;
}

/**
 * The serializer knows no flags and writes null for NaN. The pattern cannot be part of a string, where the quotes would
 * be escaped.
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
