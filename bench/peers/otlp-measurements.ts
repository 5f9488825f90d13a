/** Our side of the OTLP bench: measurements that wait in the outbox, until all of them are delivered. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { pino } from "pino";
import { systemClock } from "../../src/clock.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { connectOtlp } from "../../src/otlp/connect.ts";
import { createMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import { otlpResource } from "../../src/otlp/resource.ts";
import { otlpSettings } from "../../src/otlp/settings.ts";
import { Outbox } from "../../src/sync/outbox.ts";
import { PushLoop } from "../../src/sync/push-loop.ts";
import { answerCommands } from "../processes/answer.ts";
import { Stopwatch } from "../processes/stopwatch.ts";
import { describedSeries, measurementRows, POINTS, RECEIVER } from "./otlp-points.ts";

/** As in the exporter: values that may wait, and values in one delivery. */
const MOST_PENDING_POINTS = Math.max(500_000, POINTS);
const BATCH_POINTS = 10_000;
const LONGEST_PUSH_MS = 600_000;

const { settings } = otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER }, undefined);
if (settings === undefined) throw new Error("there is no receiver");
const exporter = await connectOtlp(settings, {
  userAgent: "bench",
  clock: systemClock,
  readFile: (path) => readFile(path, "utf8"),
  redactor: new Redactor(),
});
let delivered = 0;
const sink = createMeasurementSink({
  exporter,
  resource: otlpResource({}, { version: "bench", instanceId: randomUUID() }),
  scope: { name: "prtg-exporter" },
  describe: describedSeries(),
  observer: {
    delivered: (_stream, points) => {
      delivered += points;
    },
    rejected: () => undefined,
    requestRefused: () => undefined,
    attemptFailed: () => undefined,
    skipped: () => undefined,
  },
});
const stopwatch = new Stopwatch();

answerCommands({
  push: async () => {
    const outbox = new Outbox(MOST_PENDING_POINTS);
    for (const row of measurementRows(Date.now())) outbox.offer(row);
    const pushLoop = new PushLoop({
      ...{ sink, outbox, clock: systemClock, random: Math.random, log: pino({ level: "silent" }) },
      maxBatchPoints: BATCH_POINTS,
      observer: {
        delivered: () => undefined,
        rejected: () => undefined,
        deliveryFailed: () => undefined,
        letGo: () => undefined,
        watermarksSaved: () => undefined,
      },
      onSettled: () => undefined,
    });
    delivered = 0;
    const reading = await stopwatch.time(() => pushLoop.flush(LONGEST_PUSH_MS));
    if (delivered !== POINTS) throw new Error(`${delivered} of ${POINTS} points were delivered`);
    return reading;
  },
});
console.log("ready");
// Nothing else keeps the process from ending.
setInterval(() => undefined, 60_000);
