import { readFile } from "node:fs/promises";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import { onTestFinished } from "vitest";
import { Redactor } from "../../../src/errors/redactor.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import type { DeliveryOutcome, MeasurementRow, MeasurementSink } from "../../../src/measurements/measurement.ts";
import { connectOtlp } from "../../../src/otlp/connect.ts";
import { type Encodings, LOG_ENCODINGS, METRIC_ENCODINGS } from "../../../src/otlp/encoding.ts";
import type { OtlpExporter } from "../../../src/otlp/exporter.ts";
import type { MetricsRequest } from "../../../src/otlp/metric-data.ts";
import type { Receivers } from "../../../src/otlp/receivers.ts";
import { type OtlpSection, otlpSettings, type ReceiverSettings } from "../../../src/otlp/settings.ts";
import { type OtlpRecorder, otlpRecorder } from "../../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../../support/exporter-metrics.ts";
import { never } from "../../support/never-aborted.ts";

export const RESOURCE = resourceFromAttributes({ "service.name": "prtg-exporter", "service.instance.id": "one" });
export const SCOPE = { name: "prtg-exporter", version: "1.2.3" };

interface ExporterContext {
  readonly redactor?: Redactor;
  readonly clock?: Clock;
  readonly receivers?: Receivers;
  readonly gzipRefused?: () => void;
  readonly retryPauseMs?: number;
}

/** Closed after the test. */
export async function testExporter(
  section: OtlpSection,
  context: ExporterContext = {},
): Promise<OtlpExporter<MetricsRequest>> {
  // Generous for a busy machine, unless the test is about the deadline.
  const { settings } = otlpSettings({}, { timeoutMs: 30_000, ...section });
  return connect(settings, METRIC_ENCODINGS, context);
}

export async function testLogExporter(
  section: OtlpSection,
  context: ExporterContext = {},
): Promise<OtlpExporter<ReadableLogRecord[]>> {
  const { logs } = otlpSettings({}, { timeoutMs: 30_000, events: true, ...section });
  return connect(logs, LOG_ENCODINGS, context);
}

async function connect<Request>(
  settings: ReceiverSettings | undefined,
  encodings: Encodings<Request>,
  { redactor = new Redactor(), clock = systemClock, ...shared }: ExporterContext,
): Promise<OtlpExporter<Request>> {
  if (settings === undefined) throw new Error("no settings");
  const exporter = await connectOtlp(settings, encodings, {
    userAgent: "prtg-exporter/test",
    clock,
    readFile: (path) => readFile(path, "utf8"),
    redactor,
    retryPauseMs: 0,
    ...shared,
  });
  onTestFinished(() => exporter.close());
  return exporter;
}

export interface RecordedObserver extends OtlpRecorder {
  /** `delivered live` -> 12. Empty events count as one. */
  readonly counts: Readonly<Record<string, number>>;
}

export function recordedObserver(): RecordedObserver {
  const counts: Record<string, number> = {};
  const add = (event: string, stream: string, by: number): void => {
    counts[`${event} ${stream}`] = (counts[`${event} ${stream}`] ?? 0) + by;
  };
  const own: Partial<OtlpRecorder> = {
    delivered: (stream, points) => add("delivered", stream, points),
    rejected: (stream, points) => add("rejected", stream, points),
    skipped: ({ stream }, points = 1) => add("skipped", stream, points),
    requestRefused: ({ stream }) => add("refused", stream, 1),
    attemptFailed: ({ stream }) => add("failed", stream, 1),
  };
  return Object.assign(otlpRecorder(emptyMetrics()), own, { counts });
}

/** The outcome of a whole delivery: `rejectedPoints` of all its requests. */
type Delivered =
  | { readonly kind: "accepted"; readonly rejectedPoints: number; readonly message: string }
  | Extract<DeliveryOutcome, { readonly kind: "failed" }>;

export async function deliverRows(
  sink: Pick<MeasurementSink, "deliver">,
  rows: readonly MeasurementRow[],
  signal = never,
): Promise<Delivered> {
  let [rejectedPoints, message] = [0, ""];
  const outcome = await sink.deliver(rows, {
    signal,
    onSettled: (settled) => {
      rejectedPoints += settled.rejectedPoints;
      if (settled.message !== "") message = settled.message;
    },
  });
  return outcome.kind === "failed" ? outcome : { kind: "accepted", rejectedPoints, message };
}
