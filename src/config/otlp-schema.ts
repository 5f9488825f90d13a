import { z } from "zod";
import {
  byteSize,
  duration,
  durationOrZero,
  filePath,
  fingerprints,
  inCode,
  optional,
  serverUrl,
  text,
} from "./fields.ts";
import { proxyKeys, proxySettings, refuseLoneProxyKeys } from "./proxy-schema.ts";
import { HEADER_VALUE } from "./secrets.ts";

/* Standard OTEL_* variables replace missing keys. */

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: "the name of an HTTP header" });

const HEADER_TEXT = "the value of an HTTP header: one line of Latin-1";
const headerValue = text(HEADER_TEXT).regex(HEADER_VALUE, { error: HEADER_TEXT });

export function headerMap(description: string) {
  return z.record(headerName, headerValue).optional().meta({ title: "map of texts", description });
}

const tls = z
  .strictObject({
    ca_file: optional(
      filePath(),
      "PEM file with trusted CAs instead of the built-in ones.",
      "/etc/ssl/collector-ca.pem",
    ),
    cert_file: optional(filePath(), "PEM file with the client certificate. Needs `key_file`.", "/etc/ssl/exporter.pem"),
    key_file: optional(filePath(), "PEM file with the key of the client certificate.", "/etc/ssl/exporter-key.pem"),
    server_name: optional(
      text("the name in the receiver's certificate"),
      "Expected name in the certificate, if it differs from the host in `endpoint`.",
      "collector.example.com",
    ),
    fingerprints: fingerprints(
      "SHA-256 fingerprints of accepted certificates. Without `ca_file`, the exporter checks only the fingerprint. With `ca_file`, it checks both.",
    ),
    insecure_skip_verify: z.boolean().prefault(false).meta({ description: "Accept any certificate." }),
  })
  .transform((input) => inCode(input));

export const otlpSchema = z
  .strictObject({
    endpoint: optional(
      serverUrl(),
      "URL of the receiver. The exporter appends `/v1/metrics`. Default: `OTEL_EXPORTER_OTLP_ENDPOINT`.",
      "http://collector:4318",
    ),
    logs_endpoint: optional(
      serverUrl(),
      "URL of the receiver of events, if it is another one. The exporter appends `/v1/logs`. Default: `OTEL_EXPORTER_OTLP_LOGS_ENDPOINT`, else `endpoint`, else `OTEL_EXPORTER_OTLP_ENDPOINT`.",
      "http://loki:3100/otlp",
    ),
    protocol: optional(
      z.enum(["http/protobuf", "http/json"]),
      "Encoding of requests. Default: `OTEL_EXPORTER_OTLP_PROTOCOL`, else `http/protobuf`.",
    ),
    events: z.boolean().prefault(false).meta({
      description: "Push status changes as log records, and with `events.structure` also changes of the tree.",
    }),
    interval: optional(
      duration("1s", "24h"),
      "Time between two pushes of the current state. Default: `OTEL_METRIC_EXPORT_INTERVAL`, else 60s.",
      "60s",
    ),
    profile: z.enum(["prometheus", "otel"]).prefault("prometheus").meta({
      description:
        "Names of metrics and attributes. `prometheus`: as in a scrape, with one resource. `otel`: names of OpenTelemetry, with one resource per device.",
    }),
    series_end: z.boolean().prefault(true).meta({
      description:
        "Send a data point with the flag NO_RECORDED_VALUE when a series ends (deleted, renamed, moved, paused, other status). Prometheus stores it as a staleness marker. Use `false` for receivers that store such points as values. Then the exporter pushes `prtg.sensor_status` only with `metrics.sensor_status: all`, and never `prtg.channel_state`.",
    }),
    repeat_interval: durationOrZero("1h").prefault("4m").meta({
      description:
        "Maximum age of the newest point of a series with a valid value. The exporter repeats the last value of sensors that scan more rarely, because receivers such as Prometheus drop a series after five minutes. `0`: send each measurement only once.",
    }),
    timeout: optional(
      duration("100ms", "1h"),
      "Timeout of one request. Default: `OTEL_EXPORTER_OTLP_TIMEOUT`, else 10s.",
      "10s",
    ),
    compression: optional(
      z.enum(["none", "gzip"]),
      "Compression of requests. Default: `OTEL_EXPORTER_OTLP_COMPRESSION`, else `gzip`. A receiver that refuses gzip (415 or 400) gets requests without it.",
    ),
    max_request_size: optional(
      byteSize("64KiB", "4095KiB"),
      "Maximum size of a request body before compression, for receivers with a lower limit. Usual requests have about 512KiB. Default: one byte less than 4MiB.",
      "1MiB",
    ),
    max_bytes_per_second: z
      .union([z.literal(0), byteSize("16KiB", "1GiB")], {
        error: "0, or a size from 16KiB to 1GiB with its unit, such as 4MiB",
      })
      .optional()
      .meta({
        title: "size, or 0",
        description:
          "Maximum bytes per second on the wire for history, for example after the first start. Current measurements, state and events count, but never wait. `0`: no limit. Default: 1MiB.",
        examples: ["4MiB"],
      }),
    headers: headerMap(
      "HTTP headers by name, without secrets, such as the name of a tenant. `Authorization` and similar headers need a reference to an environment variable.",
    ),
    header_files: z.record(headerName, filePath()).optional().meta({
      title: "map of paths",
      description:
        "Files with the value of one HTTP header each, by header name. The exporter reads changed files again.",
    }),
    tls: optional(tls, "TLS to the receiver."),
    ...proxyKeys("the receiver"),
    service_name: optional(
      text("the name of a service"),
      "Resource attribute `service.name`. Default: `OTEL_SERVICE_NAME`, else prtg-exporter.",
      "prtg-exporter",
    ),
    resource_attributes: z.record(z.string(), text("the value of an attribute")).optional().meta({
      title: "map of texts",
      description: "More resource attributes, by name.",
    }),
  })
  .superRefine(refuseLoneProxyKeys)
  .transform(({ proxy_url, proxy_auth, proxy_ca_file, ...input }) => ({
    ...inCode(input, {
      interval: "intervalMs",
      repeat_interval: "repeatIntervalMs",
      timeout: "timeoutMs",
      max_request_size: "maxRequestBytes",
    }),
    proxy: proxySettings({ proxy_url, proxy_auth, proxy_ca_file }),
  }));
