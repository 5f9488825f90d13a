import { pino } from "pino";
import { expect, test } from "vitest";
import { Delivery } from "../../src/measurements/delivery.ts";
import { Outbox } from "../../src/measurements/outbox.ts";
import { measurementRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { upTo } from "./support/coverage.ts";
import { emptyWatermarks } from "./support/empty-watermarks.ts";

const NOON = Date.UTC(2026, 0, 15, 12);
const SHORT_MS = 5 * 60_000;

async function delivery(): Promise<Delivery> {
  return new Delivery({
    sink: {
      deliver: async (rows, { onSettled }) => {
        onSettled({ rows, rejectedPoints: 0, message: "" });
        return { kind: "done" };
      },
    },
    outbox: new Outbox(1_000),
    watermarks: await emptyWatermarks(),
    maxBatchPoints: 100,
    clock: new ManualClock(NOON),
    random: () => 0,
    log: pino({ level: "silent" }),
    observer: measurementRecorder(emptyMetrics(), "hq"),
  });
}

test("a series ends just after the newest sent or waiting row of its sensor", async () => {
  const sent = await delivery();
  expect(sent.endOf("40")).toBeUndefined();
  sent.watermarks.move("40", upTo(NOON));
  expect(sent.endOf("40")).toBe(NOON + 1);
  sent.outbox.offer({ sensorId: "40", at: NOON + 60_000, resolution: "live", values: [["0", 1]] });
  expect(sent.endOf("40")).toBe(NOON + 60_001);
  expect(sent.endOf("41")).toBeUndefined();
});

test("a series ends with the span of its average, because the next one can start then", async () => {
  const sent = await delivery();
  sent.outbox.offer({ sensorId: "40", at: NOON, resolution: "short", values: [["0", 1]] });
  expect(sent.endOf("40")).toBe(NOON + SHORT_MS - 1);
  sent.watermarks.move("41", { until: NOON + SHORT_MS - 1, kind: "average" });
  expect(sent.endOf("41")).toBe(NOON + SHORT_MS - 1);
});
