import fc from "fast-check";
import { expect, test } from "vitest";
import { coverageEnd, type MeasurementRow } from "../../src/measurements/measurement.ts";
import { runs } from "../support/runs.ts";
import { HOUR, type MeasurementSetup, MINUTE, measurementSetup, recordedSensor } from "./support/measurement-setup.ts";
import type { SinkBehaviour } from "./support/memory-sink.ts";

interface Scenario {
  readonly mode: "auto" | "all" | "off";
  readonly intervalsSeconds: readonly number[];
  readonly phaseSeconds: number;
  /** How long after the measurement lists show it. */
  readonly lateMs: number;
  readonly offsetMs: number;
  readonly pollEveryMs: number;
  readonly repeatIntervalMs: number;
  readonly events: readonly Event[];
}

type Event = { readonly minutes: number; readonly kind: SinkBehaviour | "restart" | "server out" | "withdrawn" };

const INTERVALS = [10, 30, 60, 120, 240, 300, 600, 900, 3_600, 4 * 3_600, 6 * 3_600];

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  mode: fc.constantFrom("auto", "auto", "all", "off"),
  intervalsSeconds: fc.array(fc.constantFrom(...INTERVALS), { minLength: 1, maxLength: 3 }),
  phaseSeconds: fc.integer({ min: 0, max: 20_000 }),
  lateMs: fc.constantFrom(0, 5_000, 30_000),
  offsetMs: fc.constantFrom(0, 90_000, -90_000),
  pollEveryMs: fc.constantFrom(30_000, 50_000, 60_000, 180_000),
  repeatIntervalMs: fc.constantFrom(1, 4, 10).map((minutes) => minutes * MINUTE),
  events: fc.array(
    fc.record({
      minutes: fc.integer({ min: 1, max: 45 }),
      kind: fc.constantFrom<Event["kind"]>("accepts", "is down", "refuses", "restart", "server out", "withdrawn"),
    }),
    { maxLength: 4 },
  ),
});

/** All errors in the received data. */
async function play(scenario: Scenario): Promise<readonly string[]> {
  const { lateMs, phaseSeconds, events, pollEveryMs, offsetMs, mode } = scenario;
  const sensors = scenario.intervalsSeconds.map((seconds, index) => {
    // Lists show a scan at its own time, with an earlier timestamp.
    const phase = phaseSeconds % seconds;
    return recordedSensor(`${index + 1}`, seconds, { phaseSeconds: phase, listSkewMs: -lateMs, sinceMs: 24 * HOUR });
  });
  let isWithdrawn = false;
  const valuesOf = (id: string): MeasurementRow["values"] =>
    subject.server
      .list()
      .filter(({ sensorId }) => sensorId === id && !isWithdrawn)
      .flatMap(({ channelId, value }) => (value === undefined ? [] : [[channelId, value]]));
  const subject: MeasurementSetup = measurementSetup(sensors, {
    mode,
    repeats: { intervalMs: scenario.repeatIntervalMs, valuesOf, isHeldBack: () => false },
  });
  subject.server.offsetMs = offsetMs;
  const { server, receiver } = subject;
  const faults: string[] = [];
  const newest = new Map<string, number>();
  let checked = 0;
  const check = (): void => {
    for (const row of receiver.received.slice(checked)) {
      const name = `${row.resolution} of ${row.sensorId} at ${new Date(row.at).toISOString()}`;
      if (row.at <= (newest.get(row.sensorId) ?? 0)) faults.push(`${name} is out of order`);
      newest.set(row.sensorId, row.at);
    }
    checked = receiver.received.length;
  };
  let process = await subject.start();
  await subject.run(process, 15, pollEveryMs);
  for (const { kind, minutes } of events) {
    if (kind === "restart") {
      await subject.stop(process);
      await subject.clock.advance(minutes * 1_000);
      process = await subject.start();
    } else if (kind === "server out") {
      server.failure = "API_UNAVAILABLE";
      await subject.run(process, minutes, pollEveryMs);
      server.failure = undefined;
    } else if (kind === "withdrawn") {
      const queued = new Map(sensors.map(({ id }) => [id, process.delivery?.watermarks.repeatedAt(id) ?? 0]));
      const before = receiver.received.length;
      isWithdrawn = true;
      await subject.run(process, minutes, pollEveryMs);
      for (const { sensorId, at, resolution } of receiver.received.slice(before)) {
        const isLate = resolution === "repeated" && at > (queued.get(sensorId) ?? 0);
        if (isLate) faults.push(`a withdrawn value of ${sensorId} was repeated`);
      }
      isWithdrawn = false;
    } else {
      receiver.behaviour = kind;
      await subject.run(process, minutes, pollEveryMs);
      receiver.behaviour = "accepts";
    }
    check();
  }
  await subject.run(process, 45, pollEveryMs);
  await subject.stop(process);
  check();
  // Repeats do not move watermarks.
  for (const { id } of sensors) {
    const measured = receiver.received.findLast((row) => row.sensorId === id && row.resolution !== "repeated");
    const watermark = process.delivery?.watermarks.get(id)?.until;
    if (measured !== undefined && watermark !== coverageEnd(measured)) faults.push(`the watermark of ${id} is wrong`);
  }
  return faults;
}

test("measurements precede later repeats, and no series has a time twice, despite any failures", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      expect((await play(scenario)).slice(0, 6)).toEqual([]);
    }),
    { numRuns: runs(300), endOnFailure: true },
  );
});
