import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeWatermarks, watermarkFileName } from "../../src/measurements/watermarks.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { runs } from "../support/runs.ts";
import { faultsOf, lastOf, type Restart } from "./support/delivery-ledger.ts";
import { Disk, MeasurementRun, type MeasurementRunSettings, PERIOD_MS } from "./support/measurement-run.ts";
import { MemorySink, type SinkBehaviour } from "./support/memory-sink.ts";
import { type RecordedSensor, RecordedServer } from "./support/recorded-server.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = Date.UTC(2026, 0, 15, 12);

type Event =
  | { readonly kind: "server out" | "receiver out"; readonly minutes: number }
  | { readonly kind: "killed" | "stopped"; readonly minutes: number; readonly afterMs: number }
  | { readonly kind: "receiver"; readonly behaviour: SinkBehaviour };

interface Scenario {
  readonly settings: MeasurementRunSettings;
  readonly sensors: readonly RecordedSensor[];
  readonly seriesLagMs: number;
  readonly offsetMs: number;
  readonly retryAfterMs: number | undefined;
  readonly events: readonly { readonly quietMinutes: number; readonly event: Event }[];
}

function eventWithin(longestMinutes: number): fc.Arbitrary<Event> {
  const minutes = fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 12 }), weight: 3 },
    fc.integer({ min: 0, max: longestMinutes }),
  );
  return fc.oneof(
    fc.record({ kind: fc.constantFrom("server out", "receiver out"), minutes }),
    fc.record({
      kind: fc.constantFrom("killed", "stopped"),
      minutes,
      // Anywhere between two polls, often while rows or watermarks are in flight.
      afterMs: fc.oneof(fc.integer({ min: 0, max: 1_500 }), fc.integer({ min: 0, max: PERIOD_MS })),
    }),
    fc.record({
      kind: fc.constant("receiver" as const),
      behaviour: fc.constantFrom<SinkBehaviour>("refuses", "refuses in part"),
    }),
  );
}

function sensorWith(id: string, intervalSeconds: number, skew: number): fc.Arbitrary<RecordedSensor> {
  return fc
    .record({
      phaseSeconds: fc.integer({ min: 0, max: intervalSeconds - 1 }),
      pauses: fc.array(
        fc.record({ afterMinutes: fc.integer({ min: -300, max: 900 }), minutes: fc.integer({ min: 1, max: 400 }) }),
        {
          maxLength: 2,
        },
      ),
    })
    .map(({ phaseSeconds, pauses }) => ({
      id,
      intervalMs: intervalSeconds * 1000,
      firstScanAt: BEGIN - 100 * HOUR + phaseSeconds * 1000,
      pauses: pauses.map(({ afterMinutes, minutes }) => {
        const from = BEGIN + afterMinutes * MINUTE;
        return { from, to: from + minutes * MINUTE };
      }),
      listSkewMs: Math.round((skew * intervalSeconds) / 4) * 1000,
    }));
}

/** @param longestMinutes of an outage. */
function scenarios(longestMinutes: number): fc.Arbitrary<Scenario> {
  return fc.constantFrom(0, 0, 1, -1).chain((skew) =>
    fc.record({
      settings: fc.record({
        mode: fc.constantFrom("auto", "auto", "all"),
        maxPendingPoints: fc.constantFrom(600, 1_500, 100_000),
        maxBatchPoints: fc.constantFrom(7, 100, 4_000),
        requestsPerCycle: fc.constantFrom(4, 60),
      }),
      sensors: fc.tuple(sensorWith("11", 60, skew), sensorWith("12", 20, skew), sensorWith("13", 300, skew)),
      seriesLagMs: fc.constantFrom(0, 0, 7_000, 30_000),
      offsetMs: fc.constantFrom(0, 120_000, -120_000),
      retryAfterMs: fc.constantFrom(undefined, 5_000, 90_000),
      events: fc.array(
        fc.record({ quietMinutes: fc.integer({ min: 0, max: 15 }), event: eventWithin(longestMinutes) }),
        {
          maxLength: 6,
        },
      ),
    }),
  );
}

/** Then lets the exporter catch up. Returns errors in the received data. */
async function play(scenario: Scenario): Promise<readonly string[]> {
  const clock = new ManualClock(BEGIN);
  const server = new RecordedServer(clock, scenario.sensors);
  server.seriesLagMs = scenario.seriesLagMs;
  server.offsetMs = scenario.offsetMs;
  const receiver = new MemorySink(clock);
  receiver.retryAfterMs = scenario.retryAfterMs;
  const disk = new Disk();
  const restarts: Restart[] = [];
  const start = async (): Promise<MeasurementRun> => {
    restarts.push({ receivedBefore: receiver.received.length, watermarks: watermarksOn(disk) });
    return MeasurementRun.start(clock, server, receiver, disk, scenario.settings);
  };
  let process = await start();
  const poll = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute++) {
      await process.poll();
      await clock.advance(PERIOD_MS);
    }
  };
  for (const { quietMinutes, event } of scenario.events) {
    await poll(quietMinutes);
    switch (event.kind) {
      case "server out":
        server.failure = "API_UNAVAILABLE";
        await poll(event.minutes);
        server.failure = undefined;
        break;
      case "receiver out":
        receiver.behaviour = "is down";
        await poll(event.minutes);
        receiver.behaviour = "accepts";
        break;
      case "receiver":
        receiver.behaviour = event.behaviour;
        break;
      case "killed":
      case "stopped": {
        await process.poll();
        await clock.advance(event.afterMs);
        if (event.kind === "killed") process.kill();
        else await Promise.all([process.stop(10_000), clock.advance(11_000)]);
        await clock.advance(event.minutes * MINUTE + 1_000);
        process = await start();
        break;
      }
    }
  }
  await poll(45);
  await Promise.all([process.stop(10_000), clock.advance(11_000)]);
  const faults = faultsOf(server, receiver.received, restarts, server.now() - 8 * MINUTE);
  for (const [sensorId, watermark] of watermarksOn(disk)) {
    const last = receiver.received.filter((row) => row.sensorId === sensorId).at(-1);
    if (last === undefined || lastOf(last) !== watermark)
      faults.push(`the watermark of ${sensorId} is ${watermark}, the last row ${last?.at}`);
  }
  return faults;
}

function watermarksOn(disk: Disk): ReadonlyMap<string, number> {
  const decoded = decodeWatermarks(disk.files.get(watermarkFileName("test")) ?? "", "test");
  return "watermarks" in decoded ? decoded.watermarks : new Map();
}

test("every measurement arrives once, in order, despite outages, restarts, rejections and full memory", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios(700), async (scenario) => {
      expect((await play(scenario)).slice(0, 12)).toEqual([]);
    }),
    { numRuns: runs(200) },
  );
});
