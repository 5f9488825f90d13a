import { z } from "zod";
import { byteSize, duration, durationOrZero, filePath, fingerprints, serverUrl, text } from "./fields.ts";
import { proxyKeys, proxySettings, refuseLoneProxyKeys } from "./proxy-schema.ts";
import { HEADER_VALUE } from "./secrets.ts";

/* Standard OTEL_* variables replace missing keys. */

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: "the name of an HTTP header" });

const HEADER_TEXT = "the value of an HTTP header: one line of Latin-1";
const headerValue = text(HEADER_TEXT).regex(HEADER_VALUE, { error: HEADER_TEXT });

const tls = z
  .strictObject({
    ca_file: filePath()
      .optional()
      .meta({
        description: "PEM file with trusted CAs instead of the built-in ones.",
        examples: ["/etc/ssl/collector-ca.pem"],
      }),
    cert_file: filePath()
      .optional()
      .meta({
        description: "PEM file with the client certificate. Needs `key_file`.",
        examples: ["/etc/ssl/exporter.pem"],
      }),
    key_file: filePath()
      .optional()
      .meta({
        description: "PEM file with the key of the client certificate.",
        examples: ["/etc/ssl/exporter-key.pem"],
      }),
    server_name: text("the name in the receiver's certificate")
      .optional()
      .meta({
        description: "Expected name in the certificate, if it differs from the host in `endpoint`.",
        examples: ["collector.example.com"],
      }),
    fingerprints: fingerprints(
      "SHA-256 fingerprints of accepted certificates. Without `ca_file`, the exporter checks only the fingerprint. With `ca_file`, it checks both.",
    ),
    insecure_skip_verify: z.boolean().prefault(false).meta({ description: "Accept any certificate." }),
  })
  .transform((input) => ({
    caFile: input.ca_file,
    certFile: input.cert_file,
    keyFile: input.key_file,
    serverName: input.server_name,
    fingerprints: input.fingerprints,
    insecureSkipVerify: input.insecure_skip_verify,
  }));

export const otlpSchema = z
  .strictObject({
    endpoint: serverUrl()
      .optional()
      .meta({
        description: "URL of the receiver. The exporter appends `/v1/metrics`. Default: `OTEL_EXPORTER_OTLP_ENDPOINT`.",
        examples: ["http://collector:4318"],
      }),
    logs_endpoint: serverUrl()
      .optional()
      .meta({
        description:
          "URL of the receiver of events, if it is another one. The exporter appends `/v1/logs`. Default: `OTEL_EXPORTER_OTLP_LOGS_ENDPOINT`, else `endpoint`, else `OTEL_EXPORTER_OTLP_ENDPOINT`.",
        examples: ["http://loki:3100/otlp"],
      }),
    protocol: z.enum(["http/protobuf", "http/json"]).optional().meta({
      description: "Encoding of requests. Default: `OTEL_EXPORTER_OTLP_PROTOCOL`, else `http/protobuf`.",
    }),
    events: z.boolean().prefault(false).meta({
      description: "Push status changes as log records, and with `events.structure` also changes of the tree.",
    }),
    interval: duration("1s", "24h")
      .optional()
      .meta({
        description: "Time between two pushes of the current state. Default: `OTEL_METRIC_EXPORT_INTERVAL`, else 60s.",
        examples: ["60s"],
      }),
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
    timeout: duration("100ms", "1h")
      .optional()
      .meta({
        description: "Timeout of one request. Default: `OTEL_EXPORTER_OTLP_TIMEOUT`, else 10s.",
        examples: ["10s"],
      }),
    compression: z.enum(["none", "gzip"]).optional().meta({
      description:
        "Compression of requests. Default: `OTEL_EXPORTER_OTLP_COMPRESSION`, else `gzip`. A receiver that refuses gzip (415 or 400) gets requests without it.",
    }),
    max_request_size: byteSize("64KiB", "4095KiB")
      .optional()
      .meta({
        description:
          "Maximum size of a request body before compression, for receivers with a lower limit. Usual requests have about 512KiB. Default: one byte less than 4MiB.",
        examples: ["1MiB"],
      }),
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
    headers: z.record(headerName, headerValue).optional().meta({
      title: "map of texts",
      description:
        "HTTP headers by name, without secrets, such as the name of a tenant. `Authorization` and similar headers need a reference to an environment variable.",
    }),
    header_files: z.record(headerName, filePath()).optional().meta({
      title: "map of paths",
      description:
        "Files with the value of one HTTP header each, by header name. The exporter reads changed files again.",
    }),
    tls: tls.optional().meta({ description: "TLS to the receiver." }),
    ...proxyKeys("the receiver"),
    service_name: text("the name of a service")
      .optional()
      .meta({
        description: "Resource attribute `service.name`. Default: `OTEL_SERVICE_NAME`, else prtg-exporter.",
        examples: ["prtg-exporter"],
      }),
    resource_attributes: z.record(z.string(), text("the value of an attribute")).optional().meta({
      title: "map of texts",
      description: "More resource attributes, by name.",
    }),
  })
  .superRefine(refuseLoneProxyKeys)
  .transform((input) => ({
    endpoint: input.endpoint,
    logsEndpoint: input.logs_endpoint,
    protocol: input.protocol,
    events: input.events,
    intervalMs: input.interval,
    profile: input.profile,
    seriesEnd: input.series_end,
    repeatIntervalMs: input.repeat_interval,
    timeoutMs: input.timeout,
    compression: input.compression,
    maxRequestBytes: input.max_request_size,
    maxBytesPerSecond: input.max_bytes_per_second,
    headers: input.headers,
    headerFiles: input.header_files,
    tls: input.tls,
    proxy: proxySettings(input),
    serviceName: input.service_name,
    resourceAttributes: input.resource_attributes,
  }));
