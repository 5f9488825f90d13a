import { describe, expect, test } from "vitest";
import { type Extras, ExtraWork } from "../../src/lib/extra-work.ts";
import { SensorMeasurements } from "../../src/measurements/sensor-measurements.ts";
import { type CycleReport, SeriesCycle } from "../../src/measurements/series-cycle.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { upTo } from "./support/coverage.ts";
import { faultsOf } from "./support/delivery-ledger.ts";
import { HOUR, MINUTE, measurementSetup, recordedSensor } from "./support/measurement-setup.ts";

describe("cycles of several servers", () => {
  interface Subject {
    readonly clock: ManualClock;
    readonly work: ExtraWork;
    /** Time passes while the event loop is busy. */
    pass(ms: number): Promise<void>;
    readonly read: { readonly id: string; readonly at: number }[];
    /** A cycle of a server whose sensors have gaps of these minutes. */
    cycle(
      server: string,
      gaps: readonly number[],
      requests?: number,
      answersAfterMs?: number,
    ): { readonly run: Promise<CycleReport>; readonly due: SensorMeasurements[] };
  }

  function subject(): Subject {
    const clock = new ManualClock();
    const work = new ExtraWork(clock);
    const read: Subject["read"] = [];
    const cycle: Subject["cycle"] = (server, gaps, requests = 1_000, answersAfterMs = 20) => {
      const due = gaps.map(
        (minutes) => new SensorMeasurements(`${server}/${minutes}`, upTo(clock.now() - minutes * MINUTE)),
      );
      const api = {
        timeSeries: async (id: string) => {
          read.push({ id, at: clock.monotonic() });
          await clock.sleep(answersAfterMs);
          return { rows: [], gaps: [], skipped: 0 };
        },
      };
      const run = new SeriesCycle(due, {
        ...{ api, clock, mode: "auto", delivery: undefined, extras: work },
        limits: { requests, periodMs: MINUTE },
        serverNow: () => clock.now(),
        onRead: () => undefined,
      }).run(never);
      return { run, due };
    };
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 250) {
        work.follow(1);
        await clock.advance(250);
      }
    };
    return { clock, work, read, cycle, pass };
  }

  /** Keeps four reads a second running. */
  function busy(): Subject {
    const busy = subject();
    busy.work.follow(1);
    return busy;
  }

  test("read the oldest gap of all servers first", async () => {
    const { read, cycle, pass } = busy();
    const gapsOf = (server: number) => Array.from({ length: 200 }, (_, index) => 900 - 3 * index - server);
    const runs = ["a", "b", "c"].map((server, index) => cycle(server, gapsOf(index)).run);
    await Promise.all([...runs, pass(MINUTE)]);
    // The first ones start before all have requested.
    const order = read.slice(3).map(({ id }) => Number(id.split("/")[1]));
    expect(order.length).toBeGreaterThan(150);
    // A server pauses before its next request, which may miss the very next turn.
    const sorted = order.toSorted((a, b) => b - a);
    expect(Math.max(...order.map((gap, at) => Math.abs(at - sorted.indexOf(gap))))).toBeLessThanOrEqual(6);
    // Gaps count down from 900.
    expect(Math.min(...order)).toBeGreaterThan(900 - order.length - 20);
  });

  test("count sensors without time, keep them, and do not run into the next cycle", async () => {
    const { clock, work, read, cycle, pass } = busy();
    const began = clock.monotonic();
    const { run, due } = cycle(
      "a",
      Array.from({ length: 500 }, (_, index) => 600 - index),
    );
    await pass(MINUTE - 250);
    const report = await run;
    expect(report).toEqual({
      due: 500,
      read: read.length,
      failed: 0,
      requests: read.length,
      deferred: 500 - read.length,
    });
    expect(read.length).toBeGreaterThan(150);
    expect(read.length).toBeLessThan(250);
    expect(work.takeDeferred()).toBe(report.deferred);
    expect(Math.max(...read.map(({ at }) => at)) - began).toBeLessThanOrEqual(0.9 * MINUTE);
    expect(due.filter(({ lastReadAt }) => lastReadAt !== undefined)).toHaveLength(read.length);
  });

  test("do not count sensors beyond the request budget as deferred", async () => {
    const { read, cycle, pass } = busy();
    const gaps = Array.from({ length: 500 }, (_, index) => 600 - index);
    const { run } = cycle("a", gaps, 300);
    await pass(MINUTE - 250);
    const { deferred } = await run;
    expect(read.length).toBeGreaterThan(150);
    expect(deferred).toBe(300 - read.length);
  });

  test("do not count sensors of a slow server as deferred", async () => {
    const { clock, work, read, cycle } = subject();
    const gaps = Array.from({ length: 500 }, (_, index) => 600 - index);
    const began = clock.monotonic();
    const { run } = cycle("slow", gaps, 1_000, 5_000);
    await clock.advance(70_000);
    expect(await run).toMatchObject({ read: 24, deferred: 0 });
    expect(work.takeDeferred()).toBe(0);
    expect(Math.max(...read.map(({ at }) => at)) - began).toBeGreaterThan(0.9 * MINUTE);
  });
});

test("measurements of an hour without time for series arrive later, once each, without memory", async () => {
  let hasTime = true;
  let most = 0;
  const extras: Extras = {
    acquire: async () => (hasTime ? () => undefined : undefined),
    countDeferred: () => undefined,
  };
  // Faster than lists, so only series have the values between.
  const sensors = Array.from({ length: 5 }, (_, index) => recordedSensor(String(10 + index), 10));
  const { clock, server, receiver, start, run, stop } = measurementSetup(sensors, { extras });
  const process = await start();
  await run(process, 10);
  hasTime = false;
  for (let minute = 0; minute < HOUR / MINUTE; minute++) {
    await run(process, 1);
    most = Math.max(most, process.delivery?.outbox.points ?? 0);
  }
  const asked = server.asked.length;
  const behind = faultsOf(server, receiver.received, [], clock.now() - MINUTE);
  hasTime = true;
  await run(process, 5);
  await stop(process);
  expect(behind).not.toEqual([]);
  expect(most).toBeLessThanOrEqual(sensors.length * 2);
  expect(server.asked.length).toBeGreaterThan(asked);
  expect(faultsOf(server, receiver.received, [], server.now() - 2 * MINUTE)).toEqual([]);
});
