import {
  type IExportMetricsServiceResponse,
  type ISerializer,
  JsonMetricsSerializer,
  ProtobufMetricsSerializer,
} from "@opentelemetry/otlp-transformer";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { gaugesAsProtobuf } from "./gauge-protobuf.ts";

export const OTLP_PROTOCOLS = ["http/protobuf", "http/json"] as const;
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number];

export const OTLP_COMPRESSIONS = ["none", "gzip"] as const;
export type OtlpCompression = (typeof OTLP_COMPRESSIONS)[number];

/** How requests and answers look on the wire. */
export interface Encoding {
  readonly contentType: string;
  /** Throws what the serializer throws. */
  readonly encode: (request: ResourceMetrics) => Uint8Array;
  /** Throws when the body is none of the protocol's. */
  readonly decode: (answer: Uint8Array) => IExportMetricsServiceResponse | undefined;
}

/** The serializers that the SDK's own exporters use, and for what is nearly all that is sent a quicker one of the same result. */
export const ENCODINGS: Readonly<Record<OtlpProtocol, Encoding>> = {
  "http/protobuf": {
    contentType: "application/x-protobuf",
    encode: (request) => gaugesAsProtobuf(request) ?? serialize(ProtobufMetricsSerializer, request),
    decode: (answer) => ProtobufMetricsSerializer.deserializeResponse(answer),
  },
  "http/json": {
    contentType: "application/json",
    encode: (request) => serialize(JsonMetricsSerializer, request),
    decode: (answer) => JsonMetricsSerializer.deserializeResponse(answer),
  },
};

type Serializer = ISerializer<ResourceMetrics, IExportMetricsServiceResponse>;

function serialize(serializer: Serializer, request: ResourceMetrics): Uint8Array {
  return serializer.serializeRequest(request) ?? new Uint8Array();
}
