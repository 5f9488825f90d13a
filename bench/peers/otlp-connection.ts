/** What both of our contenders of the OTLP bench need to push: a connection to the receiver, and a count of what arrived. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Redactor } from "../../src/errors/redactor.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { connectOtlp } from "../../src/otlp/connect.ts";
import { METRIC_ENCODINGS } from "../../src/otlp/encoding.ts";
import { otlpResource } from "../../src/otlp/resource.ts";
import { SCHEMA_URL } from "../../src/otlp/semantic-conventions.ts";
import { otlpSettings } from "../../src/otlp/settings.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { type OtlpRecorder, otlpRecorder } from "../../src/telemetry/recorders.ts";
import { IS_OTEL, RECEIVER } from "./otlp-points.ts";

const { settings } = otlpSettings(
  { OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER },
  { compression: "none", maxBytesPerSecond: 0 },
);
if (settings === undefined) throw new Error("there is no receiver");

export const exporter = await connectOtlp(settings, METRIC_ENCODINGS, {
  userAgent: "bench",
  clock: systemClock,
  readFile: (path) => readFile(path, "utf8"),
  redactor: new Redactor(),
});

export const resource = otlpResource({}, { version: "bench", instanceId: randomUUID() });
export const scope = { name: "prtg-exporter", ...(IS_OTEL && { schemaUrl: SCHEMA_URL }) };

/** Points that the receiver took, since the bench set it. */
export const arrived = { points: 0 };

export const observer: OtlpRecorder = Object.assign(
  otlpRecorder(new ExporterMetrics({ version: "bench", revision: "" }, () => [])),
  {
    delivered: (_stream: string, points: number) => {
      arrived.points += points;
    },
  },
);
