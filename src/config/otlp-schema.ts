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
        description: "PEM file with the authorities to trust instead of the built-in ones.",
        examples: ["/etc/ssl/collector-ca.pem"],
      }),
    cert_file: filePath()
      .optional()
      .meta({
        description: "PEM file with the certificate that the exporter shows; together with `key_file`.",
        examples: ["/etc/ssl/exporter.pem"],
      }),
    key_file: filePath()
      .optional()
      .meta({
        description: "PEM file with the key of that certificate.",
        examples: ["/etc/ssl/exporter-key.pem"],
      }),
    server_name: text("the name in the receiver's certificate")
      .optional()
      .meta({
        description: "Name to expect in the certificate, where it differs from the host in `endpoint`.",
        examples: ["collector.example.com"],
      }),
    fingerprints: fingerprints(
      "SHA-256 fingerprints of certificates of which the receiver must show one. Without `ca_file` this takes the place of authorities, names and dates; with it both must hold.",
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
        description: "Where the receiver listens; `/v1/metrics` is appended. Default: `OTEL_EXPORTER_OTLP_ENDPOINT`.",
        examples: ["http://collector:4318"],
      }),
    logs_endpoint: serverUrl()
      .optional()
      .meta({
        description:
          "Where the receiver of events listens, if it is another one; `/v1/logs` is appended. Default: `OTEL_EXPORTER_OTLP_LOGS_ENDPOINT`, else `endpoint`, else `OTEL_EXPORTER_OTLP_ENDPOINT`.",
        examples: ["http://loki:3100/otlp"],
      }),
    protocol: z.enum(["http/protobuf", "http/json"]).optional().meta({
      description: "How requests are encoded. Default: `OTEL_EXPORTER_OTLP_PROTOCOL`, else `http/protobuf`.",
    }),
    events: z.boolean().prefault(false).meta({
      description: "Push changes of statuses, and with `events.structure` of the structure, as log records.",
    }),
    interval: duration("1s", "24h")
      .optional()
      .meta({
        description: "Time between two pushes of the current state. Default: `OTEL_METRIC_EXPORT_INTERVAL`, else 60s.",
        examples: ["60s"],
      }),
    profile: z.enum(["prometheus", "otel"]).prefault("prometheus").meta({
      description:
        "What metrics and attributes are called. `prometheus`: as in a scrape, all from one resource. `otel`: as OpenTelemetry has it, with a resource for each device.",
    }),
    series_end: z.boolean().prefault(true).meta({
      description:
        "Tell the receiver of each series that has ended (deleted, renamed, moved, paused, another status) by a data point with the flag NO_RECORDED_VALUE, which Prometheus stores as a stale marker. `false` for receivers that take such a point for a value; then `prtg.sensor_status` is sent with `metrics.sensor_status: all` only, and `prtg.channel_state` not at all.",
    }),
    repeat_interval: durationOrZero("1h").prefault("4m").meta({
      description:
        "Age that the newest point of a series does not exceed while its value holds: the last value of a sensor that is scanned more rarely is sent again. Receivers such as Prometheus forget a series after five minutes. `0` sends each measurement once only.",
    }),
    timeout: duration("100ms", "1h")
      .optional()
      .meta({
        description: "Time that one request may take. Default: `OTEL_EXPORTER_OTLP_TIMEOUT`, else 10s.",
        examples: ["10s"],
      }),
    compression: z.enum(["none", "gzip"]).optional().meta({
      description:
        "How requests are compressed. Default: `OTEL_EXPORTER_OTLP_COMPRESSION`, else `gzip`. A receiver that refuses gzip (415 or 400) gets requests without it.",
    }),
    max_request_size: byteSize("64KiB", "4095KiB")
      .optional()
      .meta({
        description:
          "Size that the body of no request exceeds, before compression, for receivers with a lower limit. Usual requests have some 512KiB. Default: one byte less than 4MiB.",
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
          "Bytes per second on the wire over which history is spread, for example after the first start. Current measurements, state and events count too, but never wait. `0`: no limit. Default: 1MiB.",
        examples: ["4MiB"],
      }),
    headers: z.record(headerName, headerValue).optional().meta({
      title: "map of texts",
      description:
        "HTTP headers by name, for what is no secret, such as the name of a tenant. `Authorization` and the like only with a reference to an environment variable.",
    }),
    header_files: z.record(headerName, filePath()).optional().meta({
      title: "map of paths",
      description: "Files that hold the value of one HTTP header each, by its name; read again when they change.",
    }),
    tls: tls.optional().meta({ description: "How the receiver and the exporter trust each other." }),
    ...proxyKeys("the receiver"),
    service_name: text("the name of a service")
      .optional()
      .meta({
        description: "Resource attribute `service.name`. Default: `OTEL_SERVICE_NAME`, else prtg-exporter.",
        examples: ["prtg-exporter"],
      }),
    resource_attributes: z.record(z.string(), text("the value of an attribute")).optional().meta({
      title: "map of texts",
      description: "Further resource attributes, by name.",
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
