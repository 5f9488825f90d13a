/** Measurements wait in the outbox until delivered. */

import { pino } from "pino";
import { forgetfulFiles } from "../../src/app/otlp-preparation.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Delivery } from "../../src/measurements/delivery.ts";
import { Outbox } from "../../src/measurements/outbox.ts";
import { Watermarks } from "../../src/measurements/watermarks.ts";
import { OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { measurementRecorder } from "../../src/telemetry/recorders.ts";
import { serveCommands } from "../processes/answer.ts";
import { Stopwatch } from "../processes/stopwatch.ts";
import { arrived, exporter, observer, resource, rowPlacement, scope } from "./otlp-connection.ts";
import { describedSeries, measurementRows, POINTS } from "./otlp-points.ts";

/** Pending values, and values per delivery. */
const MAX_PENDING_POINTS = Math.max(500_000, POINTS);
const BATCH_POINTS = 10_000;
const MAX_PUSH_MS = 600_000;

const sink = new OtlpMeasurementSink({
  exporter,
  ...{ resource, scope, observer },
  describe: describedSeries(),
  placement: rowPlacement,
});
const stopwatch = new Stopwatch();

serveCommands({
  push: async () => {
    const outbox = new Outbox(MAX_PENDING_POINTS);
    for (const row of measurementRows(Date.now())) outbox.offer(row);
    const delivery = new Delivery({
      ...{ sink, outbox, clock: systemClock, random: Math.random, log: pino({ level: "silent" }) },
      maxBatchPoints: BATCH_POINTS,
      observer: measurementRecorder(new ExporterMetrics({ version: "bench", revision: "" }, () => []), "bench"),
      watermarks: await Watermarks.open("bench", forgetfulFiles()),
    });
    arrived.points = 0;
    const reading = await stopwatch.time(() => delivery.flush(MAX_PUSH_MS));
    if (arrived.points !== POINTS) throw new Error(`${arrived.points} of ${POINTS} points were delivered`);
    return reading;
  },
});
