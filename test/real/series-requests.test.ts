import type { SimSensor } from "prtg-simulator/src/world/model.ts";
import { describe, expect, test } from "vitest";
import { statedRequests } from "../docs/support/stated-requests.ts";
import {
  type ManualTimeExporter,
  type ManualTimeOptions,
  startManualTimeExporter,
  type TimedRequest,
} from "./support/manual-time-exporter.ts";

/* Requests that `collectors.timeseries.mode: auto` costs, from the simulator's log. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SENSORS = 2_600;
/** The default. */
const REQUESTS_PER_SECOND = 20;
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

function idsOf(sensors: readonly { readonly id: string }[]): string[] {
  return sensors.map(({ id }) => id).sort();
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

describe("mode auto at 2,600 sensors", () => {
  test("requests no time series after the start with scans every 60 s and polls every 50 s", async () => {
    const subject = await start({ intervalSeconds: () => 60, channels: "50s", pushes: true, historyMs: 10 * MINUTE });
    const began = subject.clock.now();
    await subject.pass(READING_ALL_MS);

    // One request per sensor with data fills the live window.
    const scanned = subject.sensors.filter((sensor) => scansOf(subject, sensor, subject.resumedAt, began).length > 0);
    expect(scanned.length).toBeGreaterThan(0.9 * SENSORS);
    const read = subject.seriesRequests().filter(({ status }) => status === 200);
    expect([...new Set(read.map(({ sensorId }) => sensorId))].sort()).toEqual(idsOf(scanned));
    expect(read.length).toBeLessThan(1.01 * scanned.length);

    const settled = subject.clock.now();
    await subject.pass(5 * MINUTE);
    // Only sensors with failed or late scans have a gap.
    const later = subject.seriesRequests().filter(({ at }) => at > settled);
    expect(later.length).toBeLessThan(0.01 * SENSORS);
    expectEverythingOnce(subject, subject.clock.now() - MINUTE);
  });

  test("requests no more time series than full pages of lists without OTLP, as docs/operations.md says", async () => {
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
