import { describe, expect, test } from "vitest";
import { type ChannelGroup, timesBetween } from "../../src/measurements/list-measurements.ts";
import { SensorMeasurements } from "../../src/measurements/sensor-measurements.ts";
import type { ChannelRecord } from "../../src/prtg/records.ts";
import { never } from "../support/never-aborted.ts";
import { upTo } from "./support/coverage.ts";
import { faultsOf } from "./support/delivery-ledger.ts";
import { BEGIN, MINUTE, measurementSetup, recordedSensor } from "./support/measurement-setup.ts";

const SECOND = 1_000;

describe("times of a sensor's channels", () => {
  function channels(...times: readonly (number | undefined)[]): ChannelGroup {
    const list = times.map(
      (measuredAt, index): ChannelRecord => ({
        ...{ sensorId: "7", channelId: String(index), name: "", unit: "", limits: undefined },
        // A scan may lack some values.
        value: index % 2 === 0 ? 1 : undefined,
        measuredAt,
      }),
    );
    return { sensorId: "7", channels: list };
  }

  test.each([
    { times: [100, 160], expected: { oldest: 100, newest: 160 } },
    { times: [160, undefined, 100, 130], expected: { oldest: 100, newest: 160 } },
    { times: [99, 100, 200, 201], expected: { oldest: 100, newest: 200 } },
    { times: [99, 201, undefined], expected: undefined },
    { times: [], expected: undefined },
  ])("give $expected for $times from 100 to 200", ({ times, expected }) => {
    expect(timesBetween(channels(...times), 100, 200)).toEqual(expected);
  });
});

describe("list read during a scan", () => {
  /** A sensor delivered up to `BEGIN`. */
  const sensor = () => new SensorMeasurements("7", upTo(BEGIN));
  const times = (oldest: number, newest: number) => ({
    oldest: BEGIN + oldest * SECOND,
    newest: BEGIN + newest * SECOND,
  });

  test("is ignored, but the next one is used", () => {
    const sync = sensor();
    expect(sync.takesList(times(0, 60), "auto")).toBe(false);
    expect(sync.takesList(times(60, 60), "auto")).toBe(true);
    expect(sync.hasGap).toBe(false);
  });

  test("causes a read of the series if another scan tears the next one", () => {
    const sync = sensor();
    sync.takesList(times(0, 60), "auto");
    expect(sync.takesList(times(60, 120), "auto")).toBe(false);
    expect(sync.hasGap).toBe(true);
  });

  test("is used the second time without series", () => {
    const sync = sensor();
    expect(sync.takesList(times(0, 60), "off")).toBe(false);
    expect(sync.takesList(times(60, 120), "off")).toBe(true);
    expect(sync.hasGap).toBe(false);
  });

  test("is complete if the next one is equal, with unmeasured channels", () => {
    const sync = sensor();
    sync.takesList(times(0, 60), "auto");
    expect(sync.takesList(times(0, 60), "auto")).toBe(true);
    expect(sync.hasGap).toBe(false);
  });

  test("is complete if times differ little", () => {
    expect(sensor().takesList(times(42, 60), "auto")).toBe(true);
    expect(sensor().takesList(times(41, 60), "auto")).toBe(false);
  });

  test("differs from one with long unmeasured channels", () => {
    const sync = sensor();
    expect(sync.knownSince).toBe(BEGIN - 18 * SECOND);
    const row = { sensorId: "7", at: BEGIN + 120 * SECOND, resolution: "live", values: [] } as const;
    sync.take(row, "series");
    // The next list may be partly older than the series.
    expect(sync.knownSince).toBe(BEGIN - 18 * SECOND);
    sync.endList();
    expect(sync.knownSince).toBe(BEGIN + 102 * SECOND);
    sync.observe({ at: BEGIN + 180 * SECOND, values: [] }, { mode: "auto", pushes: true, now: BEGIN + 180 * SECOND });
    expect(sync.knownSince).toBe(BEGIN + 162 * SECOND);
  });
});

describe("torn list", () => {
  /** Page one has channel 0, page two (`ms` later) channel 1. */
  test.each([
    { name: "of every list", isTorn: () => true },
    { name: "of every other list", isTorn: (list: number) => list % 2 === 0 },
    { name: "of one list", isTorn: (list: number) => list === 3 },
    { name: "of all lists for ten hours", isTorn: (list: number) => list > 3, lists: 600 },
  ])("loses nothing with a scan between two pages $name", async ({ isTorn, lists = 20 }) => {
    const subject = measurementSetup([recordedSensor("7", 60), recordedSensor("8", 60, { phaseSeconds: 30 })]);
    const process = await subject.start();
    for (let list = 0; list < lists; list++) {
      const first = subject.server.list();
      await subject.clock.advance(isTorn(list) ? 10 * SECOND : 0);
      const second = subject.server.list();
      const torn = [...first.filter(isFirst), ...second.filter((record) => !isFirst(record))];
      await process.engine.onListPoll(torn, (id) => subject.server.interval(id));
      await Promise.all([process.engine.readDue(never), subject.clock.advance(5 * SECOND)]);
      // The next list starts just before sensor 7's scan.
      await subject.clock.advance(MINUTE - ((subject.clock.now() - BEGIN + 5 * SECOND) % MINUTE));
    }
    await subject.run(process, 3);
    await subject.stop(process);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });

  test("loses nothing with another scan before the second page and a series in between", async () => {
    const subject = measurementSetup([recordedSensor("7", 60)]);
    const process = await subject.start();
    await subject.run(process, 3);
    const { server, clock } = subject;
    const read = () => Promise.all([process.engine.readDue(never), clock.advance(5 * SECOND)]);
    // Skips a scan, so that the series is read.
    await clock.advance(2 * MINUTE);
    await process.engine.onListPoll(server.list(), () => MINUTE);
    const first = server.list();
    await clock.advance(MINUTE);
    await read();
    await clock.advance(MINUTE);
    const second = server.list();
    await process.engine.onListPoll(
      [...first.filter(isFirst), ...second.filter((record) => !isFirst(record))],
      () => MINUTE,
    );
    await subject.run(process, 3);
    await subject.stop(process);
    expect(faultsOf(server, subject.receiver.received, [], server.now() - 2 * MINUTE)).toEqual([]);
  });

  test("loses nothing after failed lists and with a channel without the last scan", async () => {
    const subject = measurementSetup([recordedSensor("7", 300)]);
    const { server, clock } = subject;
    const process = await subject.start();
    await subject.run(process, 11);
    await clock.advance(5 * MINUTE);
    const before = server.list();
    await clock.advance(5 * MINUTE);
    // Twice the same, so that no scan tears it.
    const list = server.list().map((record, index) => (isFirst(record) ? record : (before[index] ?? record)));
    for (let time = 0; time < 2; time++) {
      await process.engine.onListPoll(list, () => 5 * MINUTE);
      await clock.advance(MINUTE);
    }
    await subject.run(process, 10);
    await subject.stop(process);
    expect(faultsOf(server, subject.receiver.received, [], server.now() - 6 * MINUTE)).toEqual([]);
  });

  test("causes no read of a series if it is a single one", async () => {
    const subject = measurementSetup([recordedSensor("7", 60)]);
    const process = await subject.start();
    await subject.run(process, 3);
    await process.poll();
    subject.server.asked.length = 0;
    const first = subject.server.list();
    await subject.clock.advance(MINUTE);
    const second = subject.server.list();
    await process.engine.onListPoll(
      [...first.filter(isFirst), ...second.filter((record) => !isFirst(record))],
      () => MINUTE,
    );
    await process.engine.onListPoll(second, () => MINUTE);
    await subject.run(process, 3);
    await subject.stop(process);
    expect(subject.server.asked).toEqual([]);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });
});

function isFirst({ channelId }: ChannelRecord): boolean {
  return channelId === "0";
}
