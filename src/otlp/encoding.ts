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
import { gaugesAsProtobuf } from "./gauge-protobuf.ts";
import { EndPoint, NO_RECORDED_VALUE } from "./metric-data.ts";
import type { OtlpProtocol } from "./protocols.ts";

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
export const METRIC_ENCODINGS: Encodings<ResourceMetrics> = {
  "http/protobuf": {
    encode: (request) => gaugesAsProtobuf(request) ?? serialize(ProtobufMetricsSerializer, withoutEnds(request)),
    decode: (answer) => ofMetrics(ProtobufMetricsSerializer.deserializeResponse(answer)),
  },
  "http/json": {
    encode: (request) => {
      const body = serialize(JsonMetricsSerializer, request);
      return hasEnds(request) ? withFlags(body) : body;
    },
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
