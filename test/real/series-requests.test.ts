import type { SimSensor } from "prtg-simulator/src/world/model.ts";
import { describe, expect, test } from "vitest";
import { statedRequests } from "../docs/support/stated-requests.ts";
import { coverageOf, type Reason, type SeriesRead } from "./support/series-coverage.ts";
import {
  type SteeredExporter,
  type SteeredOptions,
  startSteeredExporter,
  type TimedRequest,
} from "./support/steered-exporter.ts";

/* Requests that `collectors.timeseries.mode: auto` costs, from the simulator's log. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SENSORS = 2_600;
/** The default. */
const REQUESTS_PER_SECOND = 20;
const CONCURRENCY = 4;
/** Time series get half of the budget. */
const READING_ALL_MS = (SENSORS / (REQUESTS_PER_SECOND / 2)) * SECOND + 2 * MINUTE;

async function start(options: SteeredOptions): Promise<SteeredExporter> {
  const steered = await startSteeredExporter(options);
  expect(steered.sensors).toHaveLength(SENSORS);
  const started = steered.exporter.start();
  await steered.pass(5 * SECOND);
  expect(await started).toBe(true);
  return steered;
}

function scansOf({ world }: SteeredExporter, sensor: SimSensor, from: number, to: number): readonly number[] {
  return world.measurements(sensor, from, to).map(({ at }) => at);
}

/** Sensors without a pause over 1.5 intervals. */
function steadySensors(steered: SteeredExporter, from: number, to: number): string[] {
  const steady = steered.sensors.filter((sensor) => {
    const times = [from, ...scansOf(steered, sensor, from, to), to];
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

function measured({ world, sensors, clock, resumedAt }: SteeredExporter): Measured {
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

function arrived({ pushed }: SteeredExporter): Point[] {
  return pushed.flatMap(({ sensorId, at, values }) =>
    values.map(([channelId, value]) => ({ sensorId, channelId, at, value })),
  );
}

/** More than one scan between two lists, by the pages' request times. */
function sensorsSkippedBetweenLists(steered: SteeredExporter, since: number): string[] {
  const { world, requests } = steered;
  const skipped = new Set<string>();
  const seenAt = new Map<string, number>();
  for (const { at, url, status } of requests) {
    const [, offset] = /\/channels\?limit=3000&offset=(\d+)$/.exec(url) ?? [];
    if (at < since || status !== 200 || offset === undefined) continue;
    const page = world.channels().slice(Number(offset), Number(offset) + 3_000);
    for (const sensor of new Set(page.map((channel) => channel.sensor))) {
      const before = seenAt.get(sensor.id);
      if (before !== undefined && scansOf(steered, sensor, before + 1, at).length > 1) skipped.add(sensor.id);
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
function expectEverythingOnce(steered: SteeredExporter, until: number): void {
  const upTo = (points: readonly Point[]): string[] =>
    points.flatMap((point) => (point.at <= until ? [Object.values(point).join(" ")] : []));
  const came = upTo(arrived(steered));
  const { whole, partial } = measured(steered);
  const seen = new Set(came);
  expect(differences([...upTo(whole), ...upTo(partial).filter((point) => seen.has(point))], came)).toEqual([]);
}

/** Most requests in any span of `spanMs`. */
function mostWithin(requests: SteeredExporter["requests"], spanMs: number): number {
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
    const steered = await start({ intervalSeconds: () => 60, channels: "50s", pushes: true, historyMs: 10 * MINUTE });
    const began = steered.clock.now();
    await steered.pass(READING_ALL_MS);

    // One request per sensor with data fills the live window.
    const scanned = steered.sensors.filter((sensor) => scansOf(steered, sensor, steered.resumedAt, began).length > 0);
    expect(scanned.length).toBeGreaterThan(0.9 * SENSORS);
    const first = coverageOf(steered);
    expect(readFor(first.reads, "first")).toEqual(idsOf(scanned));
    expect(first.reads).toHaveLength(scanned.length + readFor(first.reads, "failed").length);

    const settled = steered.clock.now();
    await steered.pass(10 * MINUTE);
    const steady = new Set(steadySensors(steered, settled - MINUTE, steered.clock.now()));
    expect(steady.size).toBeGreaterThan(0.9 * SENSORS);
    const later = coverageOf(steered).reads.slice(first.reads.length);
    const ofSteady = later.filter(({ sensorId, reason }) => steady.has(sensorId) && reason !== "failed");
    expect(ofSteady).toEqual([]);
    expect([...readFor(later, "halted"), ...readFor(later, "failed")]).toHaveLength(later.length);
    expectEverythingOnce(steered, steered.clock.now() - MINUTE);
  });

  test("requests only sensors with a gap with scans and polls every 60 s", async () => {
    const steered = await start({ intervalSeconds: () => 60, channels: "60s", pushes: true, historyMs: 2 * MINUTE });
    await steered.pass(READING_ALL_MS);
    const first = coverageOf(steered).reads;

    steered.simulator.faults.set(["error=500@/experimental/channels"]);
    await steered.pass(MINUTE);
    steered.simulator.faults.clear();
    const failed = steered.clock.now();
    await steered.pass(READING_ALL_MS);
    const readsAfterFailure = coverageOf(steered).reads.slice(first.length);
    const afterFailure = readsAfterFailure.filter(({ reason }) => reason !== "failed");
    const ids = new Set(afterFailure.map(({ sensorId }) => sensorId));
    expect(ids.size).toBe(afterFailure.length);
    // Two minutes between polls: each misses one or two scans, except lucky ones.
    const steady = steadySensors(steered, failed - 3 * MINUTE, failed + MINUTE);
    expect(steady.length).toBeGreaterThan(0.9 * SENSORS);
    expect(steady.filter((id) => ids.has(id)).length).toBeGreaterThan(0.98 * steady.length);

    steered.lateness = 0.9;
    const late = steered.clock.now();
    await steered.pass(MINUTE);
    steered.lateness = 0;
    await steered.pass(3 * MINUTE);
    const { reads, open } = coverageOf(steered);
    const afterDrift = reads.slice(first.length + readsAfterFailure.length).filter(({ reason }) => reason !== "failed");
    expect(idsOfReads(afterDrift)).toEqual(sensorsSkippedBetweenLists(steered, late - MINUTE));
    expect(afterDrift.length).toBeGreaterThan(0);
    expect(afterDrift.length).toBeLessThan(0.1 * SENSORS);

    // Each request had a scan that no list showed, from log and world.
    expect(readFor(reads, undefined)).toEqual([]);
    expect(readFor(reads, "halted")).toEqual([]);
    expect(readFor(reads, "missed")).toEqual(idsOfReads([...afterFailure, ...afterDrift]));
    expect([...open]).toEqual([]);
    expectEverythingOnce(steered, steered.clock.now() - MINUTE);
  });

  test("delivers every measurement within the budget with scans every 10 s", async () => {
    const steered = await start({ intervalSeconds: () => 10, channels: "60s", pushes: true, historyMs: MINUTE });
    await steered.pass(6 * MINUTE);
    steered.world.pause(steered.world.root.id, steered.clock.now());
    await steered.pass(READING_ALL_MS);
    expect(steered.pushed.length).toBeGreaterThan(30 * SENSORS);
    expectEverythingOnce(steered, steered.clock.now());
    expect(mostWithin(steered.requests, SECOND)).toBeLessThanOrEqual(REQUESTS_PER_SECOND);
    // Half the budget. A minute with two cycles may include one more.
    const half = (MINUTE / SECOND) * (REQUESTS_PER_SECOND / 2);
    expect(mostWithin(steered.seriesRequests(), MINUTE)).toBeLessThanOrEqual(half + 1);
    expect(steered.simulator.requests.maxInFlight).toBeLessThanOrEqual(CONCURRENCY);
  });

  test("requests only values of fast sensors without OTLP, also after a failed poll", async () => {
    const fast = 8;
    const intervalSeconds = (index: number) => (index < fast ? 10 : 60);
    const steered = await start({ intervalSeconds, channels: "60s", pushes: false, historyMs: 10 * MINUTE });
    const began = steered.clock.now();
    await steered.pass(3 * MINUTE);
    steered.simulator.faults.set(["error=500@/experimental/channels"]);
    await steered.pass(MINUTE);
    steered.simulator.faults.clear();
    await steered.pass(6 * MINUTE);
    const steady = new Set(steadySensors(steered, began, steered.clock.now()));
    const fastIds = idsOf(steered.sensors.slice(0, fast)).filter((id) => steady.has(id));
    expect(fastIds.length).toBeGreaterThan(0.5 * fast);
    const reads = Map.groupBy(steered.seriesRequests(), ({ sensorId }) => sensorId);
    expect([...reads.keys()].filter((id) => steady.has(id)).sort()).toEqual(fastIds);
    // Not before two lists skipped measurements, nor if the last read is almost as new.
    for (const id of fastIds) expect(reads.get(id)?.length).toBeGreaterThanOrEqual(5);
    expect(steered.seriesRequests().length).toBeLessThanOrEqual(10 * fast);
  });

  test("requests no more time series than pages of lists without OTLP, as docs/operations.md says", async () => {
    const minutes = 30;
    const steered = await start({ intervalSeconds: () => 10, channels: "60s", pushes: false, historyMs: MINUTE });
    await steered.pass(5 * MINUTE);
    const settled = steered.clock.monotonic();
    await steered.pass(minutes * MINUTE);
    const requests = steered.requests.filter(({ elapsed }) => elapsed > settled);
    const perMinute = (those: (request: TimedRequest) => boolean): number => requests.filter(those).length / minutes;
    const isSeries = ({ route }: TimedRequest): boolean => route.includes("/timeseries/");
    const page = statedRequests({ sensors: SENSORS, channels: steered.world.channels().length });
    // A run of `status` at the same moment uses two lists of `tree`.
    expect(Math.abs(perMinute((request) => !isSeries(request)) - page.all)).toBeLessThan(1);
    expect(Math.round(perMinute(({ route }) => route === "/health" || route === "/version"))).toBe(page.health);
    expect(Math.round(perMinute(isSeries))).toBe(page.series);

    let [pages, series] = [0, 0];
    for (const request of steered.requests) {
      if (isSeries(request)) series++;
      else if (request.url.includes("limit=")) pages++;
      expect(series).toBeLessThanOrEqual(pages);
    }
  });
});
