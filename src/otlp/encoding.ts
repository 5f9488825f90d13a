import {
  type IExportMetricsServiceResponse,
  type ISerializer,
  JsonMetricsSerializer,
  ProtobufMetricsSerializer,
} from "@opentelemetry/otlp-transformer";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";

export const OTLP_PROTOCOLS = ["http/protobuf", "http/json"] as const;
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number];

export const OTLP_COMPRESSIONS = ["none", "gzip"] as const;
export type OtlpCompression = (typeof OTLP_COMPRESSIONS)[number];

/** How requests and answers look on the wire. */
export interface Encoding {
  readonly contentType: string;
  readonly serializer: ISerializer<ResourceMetrics, IExportMetricsServiceResponse>;
}

/** The serializers that the SDK's own exporters use. */
export const ENCODINGS: Readonly<Record<OtlpProtocol, Encoding>> = {
  "http/protobuf": { contentType: "application/x-protobuf", serializer: ProtobufMetricsSerializer },
  "http/json": { contentType: "application/json", serializer: JsonMetricsSerializer },
};
