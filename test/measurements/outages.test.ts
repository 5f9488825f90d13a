import { describe, expect, test } from "vitest";
import type { Resolution } from "../../src/measurements/measurement.ts";
import { faultsOf } from "./support/delivery-ledger.ts";
import { BEGIN, DAY, HOUR, MINUTE, measurementSetup, recordedSensor } from "./support/measurement-setup.ts";
import type { ReceivedRow } from "./support/memory-sink.ts";

const SECOND = 1_000;
const SENSORS = [
  recordedSensor("11", 60, { phaseSeconds: 17, sinceMs: 100 * DAY }),
  recordedSensor("12", 300, { phaseSeconds: 42, sinceMs: 100 * DAY }),
];

function spanOf(rows: readonly ReceivedRow[], resolution: Resolution): string | undefined {
  const of = rows.filter((row) => row.sensorId === "11" && row.resolution === resolution);
  const time = (row: ReceivedRow | undefined) => new Date(row?.at ?? 0).toISOString().slice(5, 19);
  return of.length === 0 ? undefined : `${of.length} from ${time(of[0])} to ${time(of.at(-1))}`;
}

describe("recovery", () => {
  test.each([
    {
      name: "of 20 minutes",
      ms: 20 * MINUTE,
      short: undefined,
      medium: undefined,
      long: undefined,
    },
    {
      name: "of 6 hours",
      ms: 6 * HOUR,
      // The last row was 12:08:17. 14:10 overlaps the live window.
      short: "24 from 01-15T12:10:00 to 01-15T14:05:00",
      medium: undefined,
      long: undefined,
    },
    {
      name: "of 3 days",
      ms: 3 * DAY,
      short: "518 from 01-16T13:00:00 to 01-18T08:05:00",
      medium: "24 from 01-15T13:00:00 to 01-16T12:00:00",
      long: undefined,
    },
    {
      name: "of 70 days",
      ms: 70 * DAY,
      short: "518 from 03-24T13:00:00 to 03-26T08:05:00",
      medium: "1381 from 01-26T00:00:00 to 03-24T12:00:00",
      long: "10 from 01-16T00:00:00 to 01-25T00:00:00",
    },
  ])(
    "delivers each measurement at most once after an outage $name, the last four hours completely",
    async ({ ms, short, medium, long }) => {
      const { clock, server, receiver, start, run, stop } = measurementSetup(SENSORS);
      const first = await start();
      await run(first, 10);
      await stop(first);
      const received = receiver.received.length;
      const watermarks = new Map(
        SENSORS.map(({ id }) => [id, receiver.received.findLast((row) => row.sensorId === id)?.at ?? 0]),
      );
      await clock.advance(ms);
      const second = await start();
      await run(second, 5);
      await stop(second);
      const restarts = [{ receivedBefore: received, watermarks }];
      expect(faultsOf(server, receiver.received, restarts, server.now() - 6 * MINUTE)).toEqual([]);
      const since = receiver.received.slice(received);
      expect({
        short: spanOf(since, "short"),
        medium: spanOf(since, "medium"),
        long: spanOf(since, "long"),
      }).toEqual({ short, medium, long });
      expect(second.counted.delivered.get("live")).toBeGreaterThan(ms > 4 * HOUR ? 2 * 240 : 2 * 20);
    },
  );

  test.each([
    { name: "shows the repetition", ms: 0 },
    { name: "shows the next scan", ms: 45 * SECOND },
    { name: "comes 20 minutes later", ms: 20 * MINUTE },
  ])("delivers the repetition of a failed scan if a restart follows and the next list $name", async ({ ms }) => {
    const { clock, server, receiver, start, run, stop } = measurementSetup(SENSORS);
    const first = await start();
    await run(first, 5);
    const at = BEGIN + 5 * MINUTE + 17 * SECOND;
    const repeatedAt = at + 8 * SECOND;
    server.failedScans.set("11", { at, repeatedAt });
    await first.poll();
    await clock.advance(20 * SECOND);
    await first.poll();
    await stop(first);
    await clock.advance(ms);
    const second = await start();
    await run(second, 3);
    await stop(second);
    const scans = server.scans(server.sensor("11"), BEGIN, server.now() - MINUTE).filter((scan) => scan < at);
    const times = receiver.received.filter(({ sensorId }) => sensorId === "11").map((row) => row.at);
    expect(times.filter((time) => time >= BEGIN && time < at + MINUTE)).toEqual([...scans, at, repeatedAt]);
  });
});
