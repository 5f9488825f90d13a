import { expect, test } from "vitest";
import { createExpiryPolicy } from "../../src/collectors/server-collectors.ts";
import { StateWriter } from "../../src/collectors/state-writer.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { yieldToEventLoop } from "../../src/lib/yielding.ts";
import { NO_OBSERVER } from "../../src/model/state-observer.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { turnsDuring } from "../support/event-loop-turns.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { memoryPipeline } from "./memory-pipeline.ts";
import { smallServer } from "./small-server.ts";

/** Advances on each reading. */
function writerOver(stepMs: number) {
  const { monitor, store } = memoryPipeline(smallServer());
  let now = 0;
  const clock: Clock = Object.assign(new ManualClock(), {
    monotonic: () => {
      now += stepMs;
      return now;
    },
  });
  const writer = new StateWriter({
    ...{ view: monitor.view, clock, api: { clockOffset: () => 0, isClockInDoubt: () => false } },
    metrics: serverRecorder(emptyMetrics(), "hq"),
    expiry: createExpiryPolicy(clock, new Map()),
  });
  return { writer, store };
}

test("a long commit that a page needs comes before the background", async () => {
  // Each step exceeds a slice.
  const { writer, store } = writerOver(10);
  let turns = 0;
  const others = Array.from({ length: 100 }, async () => {
    for (let piece = 0; piece < 3; piece++) {
      await yieldToEventLoop();
      turns++;
    }
  });
  const { slices } = writer.context();
  await store.lane.readerWaitsFor(async () => {
    for (let piece = 0; piece < 30; piece++) await slices.longStep();
  });
  expect(turns).toBeLessThanOrEqual(11);
  await Promise.all(others);
});

test("small commits in a row yield to the event loop", async () => {
  // Each commit uses part of a slice.
  const { writer } = writerOver(1);
  const versions = Array.from({ length: 100 }, (_, index) => String(index));
  const written: string[] = [];
  writer.state.observe({
    ...NO_OBSERVER,
    onRecord: (_kind, record) => "version" in record && void written.push(record.version),
  });
  const turns = await turnsDuring(() => Promise.all(versions.map((version) => writer.applyVersion(version))));
  expect(turns).toBeGreaterThan(10);
  expect(written).toEqual(versions);
});
