import type { SimSensor } from "prtg-simulator/src/world/model.ts";
import { describe, expect, test } from "vitest";
import { statedRequests } from "../docs/support/stated-requests.ts";
import {
  type ManualTimeExporter,
  type ManualTimeOptions,
  startManualTimeExporter,
  type TimedRequest,
} from "./support/manual-time-exporter.ts";
import { coverageOf, type Reason, type SeriesRead } from "./support/series-coverage.ts";

/* Requests that `collectors.timeseries.mode: auto` costs, from the simulator's log. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SENSORS = 2_600;
/** The default. */
const REQUESTS_PER_SECOND = 20;
const CONCURRENCY = 4;
/** Time series get half of the budget. */
const READING_ALL_MS = (SENSORS / (REQUESTS_PER_SECOND / 2)) * SECOND + 2 * MINUTE;

async function start(options: ManualTimeOptions): Promise<ManualTimeExporter> {
  const subject = await startManualTimeExporter(options);
  expect(subject.sensors).toHaveLength(SENSORS);
  const started = subject.exporter.start();
  await subject.pass(5 * SECOND);
  expect(await started).toBe(true);
  return subject;
}

function scansOf({ world }: ManualTimeExporter, sensor: SimSensor, from: number, to: number): readonly number[] {
  return world.measurements(sensor, from, to).map(({ at }) => at);
}

/** Sensors without a pause over 1.5 intervals. */
function steadySensors(subject: ManualTimeExporter, from: number, to: number): string[] {
  const steady = subject.sensors.filter((sensor) => {
    const times = [from, ...scansOf(subject, sensor, from, to), to];
    return times.every((at, index) => at - (times[index - 1] ?? at) <= 1.5 * sensor.intervalSeconds * SECOND);
  });
  return idsOf(steady);
}

function idsOf(sensors: readonly { readonly id: string }[]): string[] {
  return sensors.map(({ id }) => id).sort();
}

function idsOfReads(reads: readonly SeriesRead[]): string[] {
  return reads.map(({ sensorId }) => sensorId).sort();
}

function readFor(reads: readonly SeriesRead[], reason: Reason | undefined): string[] {
  return reads.flatMap((read) => (read.reason === reason ? [read.sensorId] : [])).sort();
}

interface Point {
  readonly sensorId: string;
  readonly channelId: string;
  readonly at: number;
  readonly value: number;
}

interface Measured {
  /** Scans with a value of each channel, which time series contain. */
  readonly whole: readonly Point[];
  /** Such as of down sensors: only in lists, and not all. */
  readonly partial: readonly Point[];
}

function measured({ world, sensors, clock, resumedAt }: ManualTimeExporter): Measured {
  const points = { whole: [] as Point[], partial: [] as Point[] };
  for (const sensor of sensors) {
    for (const { at, displayValues } of world.measurements(sensor, resumedAt, clock.now())) {
      for (const [index, value] of displayValues.entries()) {
        const channelId = String(sensor.channels[index]?.number);
        if (value === null) continue;
        points[displayValues.includes(null) ? "partial" : "whole"].push({ sensorId: sensor.id, channelId, at, value });
      }
    }
  }
  return points;
}

function arrived({ pushed }: ManualTimeExporter): Point[] {
  return pushed.flatMap(({ sensorId, at, values }) =>
    values.map(([channelId, value]) => ({ sensorId, channelId, at, value })),
  );
}

/** More than one scan between two lists, by the pages' request times. */
function sensorsSkippedBetweenLists(subject: ManualTimeExporter, since: number): string[] {
  const { world, requests } = subject;
  const skipped = new Set<string>();
  const seenAt = new Map<string, number>();
  for (const { at, url, status } of requests) {
    const [, offset] = /\/channels\?limit=3000&offset=(\d+)$/.exec(url) ?? [];
    if (at < since || status !== 200 || offset === undefined) continue;
    const page = world.channels().slice(Number(offset), Number(offset) + 3_000);
    for (const sensor of new Set(page.map((channel) => channel.sensor))) {
      const before = seenAt.get(sensor.id);
      if (before !== undefined && scansOf(subject, sensor, before + 1, at).length > 1) skipped.add(sensor.id);
      seenAt.set(sensor.id, at);
    }
  }
  return [...skipped].sort();
}

/** Surplus (positive) or missing (negative) counts. */
function differences(wanted: readonly string[], found: readonly string[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const text of found) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of wanted) counts.set(text, (counts.get(text) ?? 0) - 1);
  return [...counts].filter(([, count]) => count !== 0).slice(0, 20);
}

/** Every measurement until this moment arrived once, and nothing else. */
function expectEverythingOnce(subject: ManualTimeExporter, until: number): void {
  const upTo = (points: readonly Point[]): string[] =>
    points.flatMap((point) => (point.at <= until ? [Object.values(point).join(" ")] : []));
  const came = upTo(arrived(subject));
  const { whole, partial } = measured(subject);
  const seen = new Set(came);
  expect(differences([...upTo(whole), ...upTo(partial).filter((point) => seen.has(point))], came)).toEqual([]);
}

/** Most requests in any span of `spanMs`. */
function mostWithin(requests: ManualTimeExporter["requests"], spanMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, { elapsed }] of requests.entries()) {
    while (elapsed - (requests[first]?.elapsed ?? 0) >= spanMs) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

describe("mode auto at 2,600 sensors", () => {
  test("requests no time series after the start with scans every 60 s and polls every 50 s", async () => {
    const subject = await start({ intervalSeconds: () => 60, channels: "50s", pushes: true, historyMs: 10 * MINUTE });
    const began = subject.clock.now();
    await subject.pass(READING_ALL_MS);

    // One request per sensor with data fills the live window.
    const scanned = subject.sensors.filter((sensor) => scansOf(subject, sensor, subject.resumedAt, began).length > 0);
    expect(scanned.length).toBeGreaterThan(0.9 * SENSORS);
    const first = coverageOf(subject);
    expect(readFor(first.reads, "first")).toEqual(idsOf(scanned));
    expect(first.reads).toHaveLength(scanned.length + readFor(first.reads, "failed").length);

    const settled = subject.clock.now();
    await subject.pass(10 * MINUTE);
    const steady = new Set(steadySensors(subject, settled - MINUTE, subject.clock.now()));
    expect(steady.size).toBeGreaterThan(0.9 * SENSORS);
    const later = coverageOf(subject).reads.slice(first.reads.length);
    const ofSteady = later.filter(({ sensorId, reason }) => steady.has(sensorId) && reason !== "failed");
    expect(ofSteady).toEqual([]);
    expect([...readFor(later, "halted"), ...readFor(later, "failed")]).toHaveLength(later.length);
    expectEverythingOnce(subject, subject.clock.now() - MINUTE);
  });

  test("requests only sensors with a gap with scans and polls every 60 s", async () => {
    const subject = await start({ intervalSeconds: () => 60, channels: "60s", pushes: true, historyMs: 2 * MINUTE });
    await subject.pass(READING_ALL_MS);
    const first = coverageOf(subject).reads;

    subject.simulator.faults.set(["error=500@/experimental/channels"]);
    await subject.pass(MINUTE);
    subject.simulator.faults.clear();
    const failed = subject.clock.now();
    await subject.pass(READING_ALL_MS);
    const readsAfterFailure = coverageOf(subject).reads.slice(first.length);
    const afterFailure = readsAfterFailure.filter(({ reason }) => reason !== "failed");
    const ids = new Set(afterFailure.map(({ sensorId }) => sensorId));
    expect(ids.size).toBe(afterFailure.length);
    // Two minutes between polls: each misses one or two scans, except lucky ones.
    const steady = steadySensors(subject, failed - 3 * MINUTE, failed + MINUTE);
    expect(steady.length).toBeGreaterThan(0.9 * SENSORS);
    expect(steady.filter((id) => ids.has(id)).length).toBeGreaterThan(0.98 * steady.length);

    subject.lateness = 0.9;
    const late = subject.clock.now();
    await subject.pass(MINUTE);
    subject.lateness = 0;
    await subject.pass(3 * MINUTE);
    const { reads, open } = coverageOf(subject);
    const afterDrift = reads.slice(first.length + readsAfterFailure.length).filter(({ reason }) => reason !== "failed");
    expect(idsOfReads(afterDrift)).toEqual(sensorsSkippedBetweenLists(subject, late - MINUTE));
    expect(afterDrift.length).toBeGreaterThan(0);
    expect(afterDrift.length).toBeLessThan(0.1 * SENSORS);

    // Each request had a scan that no list showed, from log and world.
    expect(readFor(reads, undefined)).toEqual([]);
    expect(readFor(reads, "halted")).toEqual([]);
    expect(readFor(reads, "missed")).toEqual(idsOfReads([...afterFailure, ...afterDrift]));
    expect([...open]).toEqual([]);
    expectEverythingOnce(subject, subject.clock.now() - MINUTE);
  });

  test("delivers every measurement within the budget with scans every 10 s", async () => {
    const subject = await start({ intervalSeconds: () => 10, channels: "60s", pushes: true, historyMs: MINUTE });
    await subject.pass(6 * MINUTE);
    subject.world.pause(subject.world.root.id, subject.clock.now());
    await subject.pass(READING_ALL_MS);
    expect(subject.pushed.length).toBeGreaterThan(30 * SENSORS);
    expectEverythingOnce(subject, subject.clock.now());
    expect(mostWithin(subject.requests, SECOND)).toBeLessThanOrEqual(REQUESTS_PER_SECOND);
    // Half the budget. A minute with two cycles may include one more.
    const half = (MINUTE / SECOND) * (REQUESTS_PER_SECOND / 2);
    expect(mostWithin(subject.seriesRequests(), MINUTE)).toBeLessThanOrEqual(half + 1);
    expect(subject.simulator.requests.maxInFlight).toBeLessThanOrEqual(CONCURRENCY);
  });

  test("requests only values of fast sensors without OTLP, also after a failed poll", async () => {
    const fast = 8;
    const intervalSeconds = (index: number) => (index < fast ? 10 : 60);
    const subject = await start({ intervalSeconds, channels: "60s", pushes: false, historyMs: 10 * MINUTE });
    const began = subject.clock.now();
    await subject.pass(3 * MINUTE);
    subject.simulator.faults.set(["error=500@/experimental/channels"]);
    await subject.pass(MINUTE);
    subject.simulator.faults.clear();
    await subject.pass(6 * MINUTE);
    const steady = new Set(steadySensors(subject, began, subject.clock.now()));
    const fastIds = idsOf(subject.sensors.slice(0, fast)).filter((id) => steady.has(id));
    expect(fastIds.length).toBeGreaterThan(0.5 * fast);
    const reads = Map.groupBy(subject.seriesRequests(), ({ sensorId }) => sensorId);
    expect([...reads.keys()].filter((id) => steady.has(id)).sort()).toEqual(fastIds);
    // Not before two lists skipped measurements, nor if the last read is almost as new.
    for (const id of fastIds) expect(reads.get(id)?.length).toBeGreaterThanOrEqual(5);
    expect(subject.seriesRequests().length).toBeLessThanOrEqual(10 * fast);
  });

  test("requests no more time series than pages of lists without OTLP, as docs/operations.md says", async () => {
    const minutes = 30;
    const subject = await start({ intervalSeconds: () => 10, channels: "60s", pushes: false, historyMs: MINUTE });
    await subject.pass(5 * MINUTE);
    const settled = subject.clock.monotonic();
    await subject.pass(minutes * MINUTE);
    const requests = subject.requests.filter(({ elapsed }) => elapsed > settled);
    const perMinute = (those: (request: TimedRequest) => boolean): number => requests.filter(those).length / minutes;
    const isSeries = ({ route }: TimedRequest): boolean => route.includes("/timeseries/");
    const page = statedRequests({ sensors: SENSORS, channels: subject.world.channels().length });
    // A run of `status` at the same moment uses two lists of `tree`.
    expect(Math.abs(perMinute((request) => !isSeries(request)) - page.all)).toBeLessThan(1);
    expect(Math.round(perMinute(({ route }) => route === "/health" || route === "/version"))).toBe(page.health);
    expect(Math.round(perMinute(isSeries))).toBe(page.series);

    let [pages, series] = [0, 0];
    for (const request of subject.requests) {
      if (isSeries(request)) series++;
      else if (request.url.includes("limit=")) pages++;
      expect(series).toBeLessThanOrEqual(pages);
    }
  });
});
